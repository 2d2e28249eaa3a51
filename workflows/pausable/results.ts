/** What `run.askAHuman` and `run.delegate` give back, as types that know the labels and results at stake. */
import type { AskResult, ChosenAnswer } from '../contract';

/** A label that is the caller's own Other: the platform drops it and appends its own (CONTRACT §2). */
type IsOther<Label extends string> = Lowercase<Trimmed<Label>> extends 'other' ? true : false;
type Trimmed<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} ` ? Trimmed<Rest> : Text;
type RealLabel<Label extends string> = Label extends unknown ? (IsOther<Label> extends true ? never : Label) : never;

/** A multiple-choice ask. `options` are 2 to 6 labels; written in place they are known to the result's type. */
export interface ChoiceAsk<Labels extends readonly string[]> {
  kind: 'multiple_choice';
  /** 1 to 4,000 characters. */
  question: string;
  options: Labels;
  /** Markdown for whoever answers, up to 16,000 characters. */
  context?: string | undefined;
}

/** A question that is answered in a person's own words. */
export interface FreeFormAsk {
  kind: 'free_form';
  question: string;
  /** Only a multiple-choice ask has them. */
  options?: undefined;
  context?: string | undefined;
}

/** Why there is no answer: declined, refused, or a mode in which nobody is asked (CONTRACT §2). */
export type NotAnswered = Exclude<AskResult, ChosenAnswer>;

/** One of the labels, or what a person wrote in because none of them fits. */
export type ChoiceAnswer<Labels extends readonly string[]> =
  { answer: RealLabel<Labels[number]>; option_id: `q${number}_o${number}` } | { answer: string; option_id: 'other' };

export type ChoiceResult<Labels extends readonly string[]> = ChoiceAnswer<Labels> | NotAnswered;
export type FreeFormResult = { answer: string } | NotAnswered;

/** How a delegation ended. A sub-run that fails or is cancelled is an error to read, not one that is thrown. */
export type DelegateResult<Result> =
  | { child_run_id: string; result: Result }
  | { error: DelegateErrorCode; message: string; child_run_id?: string; code?: string };
export type DelegateErrorCode =
  'child_failed' | 'child_cancelled' | 'child_not_started' | 'too_deep' | 'too_many_children' | 'unknown_child';
