/**
 * A coded agent: no model, its turns are a function. It fetches an invoice, sums it up, and asks a person when the total
 * is above a limit, as in the seed "Ask a person mid-run".
 */
import { z } from 'zod';
import {
  defineAgent,
  defineTool,
  member,
  textMember,
  RecordedModel,
  type RecordedTurn,
} from '../../../activities/define';
import { invoices } from './invoices';

const LIMIT_EUR = 5_000;
const invoiceInput = z.object({ invoice: z.string().min(1).max(40) });
const euros = (amount: number) => `EUR ${amount.toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

const fetchInvoice = defineTool({
  name: 'fetch_invoice',
  title: 'Fetch invoice',
  description: 'Reads an invoice by its number.',
  input: invoiceInput,
  execute: ({ invoice }) => invoices.get(invoice) ?? { error: 'not_found', message: `there is no invoice ${invoice}` },
});

const summarize = defineTool({
  name: 'summarize',
  title: 'Summarize',
  description: 'Sums up an invoice in one sentence.',
  input: invoiceInput,
  execute: ({ invoice }) => {
    const found = invoices.get(invoice);
    if (!found) return { error: 'not_found', message: `there is no invoice ${invoice}` };
    const total = found.lines.reduce((sum, line) => sum + line.amount_eur, 0);
    const lines = found.lines.map(({ what, amount_eur }) => `- ${what}: ${euros(amount_eur)}`).join('\n');
    return { total_eur: total, summary: `${invoice} from ${found.supplier}: ${euros(total)}`, lines };
  },
});

export const invoiceApprover = defineAgent({
  name: 'invoice-approver',
  description: `Fetches an invoice, sums it up, and asks a person above ${euros(LIMIT_EUR)}. Coded, no model: try INV-1042.`,
  input: z.object({ invoice: z.string().min(1).max(40).default('INV-1042') }),
  tools: [fetchInvoice, summarize],
  model: new RecordedModel([
    ({ input }) => ({ calls: [{ tool: 'fetch_invoice', args: { invoice: numberOf(input) } }] }),
    ({ input, result }): RecordedTurn =>
      member(result('fetch_invoice'), 'error') === null
        ? { calls: [{ tool: 'summarize', args: { invoice: numberOf(input) } }] }
        : { text: `There is no invoice ${numberOf(input)}.` },
    ({ input, result }): RecordedTurn => {
      const { total, summary, lines } = summaryOf(result('summarize'));
      if (total <= LIMIT_EUR) return { text: `Approved by rule: ${summary}.` };
      return {
        calls: [
          {
            tool: 'ask_a_human',
            args: {
              kind: 'multiple_choice',
              question: `The total is above the ${euros(LIMIT_EUR)} limit. Approve the summary for ${numberOf(input)}?`,
              options: ['Approve', 'Reject'],
              context: `${summary}\n\n${lines}`,
            },
          },
        ],
      };
    },
    ({ result }): RecordedTurn => {
      const { summary } = summaryOf(result('summarize'));
      const asked = result('ask_a_human');
      const answer = member(asked, 'answer');
      if (answer === 'Approve') return { text: `Approved by a person: ${summary}.` };
      if (answer === 'Reject') return { text: `Rejected by a person: ${summary}.` };
      // Nobody may approve on a person's behalf: what is neither is left open, with what was said.
      return {
        text: `Not approved: ${summary}. ${typeof answer === 'string' ? `A person says: ${answer}` : 'Nobody decided.'}`,
      };
    },
  ]),
});

type Input = Parameters<typeof member>[0];

function numberOf(input: Input): string {
  const invoice = member(input, 'invoice');
  return typeof invoice === 'string' ? invoice : 'INV-1042';
}

function summaryOf(result: Input): { total: number; summary: string; lines: string } {
  const total = member(result, 'total_eur');
  return {
    total: typeof total === 'number' ? total : 0,
    summary: textMember(result, 'summary'),
    lines: textMember(result, 'lines'),
  };
}
