/** Completion scripts, made from the commands themselves: a new option is completed without anything being done here. */
import type { Command, Option } from 'commander';

export interface CommandWords {
  name: string;
  about: string;
  /** Values of its first argument, where they are known. */
  argument: readonly string[];
  options: { flags: string[]; about: string; takesValue: boolean; values: readonly string[] }[];
}

export function wordsOf(program: Command): CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    argument: command.registeredArguments[0]?.argChoices ?? [],
    options: command.createHelp().visibleOptions(command).map(optionWords),
  }));
}

function optionWords(option: Option): CommandWords['options'][number] {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const takesValue = option.required || option.optional;
  return { flags, about: option.description, takesValue, values: option.argChoices ?? [] };
}

/** All words that may follow a command, and the values that may follow an option of it. */
function bashCases({ name, argument, options }: CommandWords): string {
  const values = options
    .filter((option) => option.takesValue)
    .map(
      ({ flags, values: known }) => `        ${name}:${flags.join(`|${name}:`)}) words="${known.join(' ')}"; return;;`,
    );
  const words = [...argument, ...options.flatMap((option) => option.flags)].join(' ');
  return [...values, `        ${name}:*) words="${words}"; return;;`].join('\n');
}

export function bashCompletion(commands: readonly CommandWords[]): string {
  const names = [...commands.map(({ name }) => name), 'help', '--help', '--version'].join(' ');
  return `# bash completion for holdpoint
_holdpoint_words() {
    case "$1:$2" in
${commands.map(bashCases).join('\n')}
    esac
    words=""
}
_holdpoint() {
    local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then words="${names}"
    else _holdpoint_words "\${COMP_WORDS[1]}" "$previous"; fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdpoint holdpoint
`;
}

export function zshCompletion(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, about }) => `        ${zshQuoted(`${name}:${about.replace(/:/g, '\\:')}`)}`);
  const cases = commands.map(({ name, argument, options }) => {
    const specs = options.flatMap(({ flags, about, takesValue, values }) =>
      flags.map((flag) => {
        const value = takesValue ? `:value:${values.length > 0 ? `(${values.join(' ')})` : '_files'}` : '';
        return zshQuoted(`${flag}[${about.replace(/[[\]:\\]/g, '\\$&')}]${value}`);
      }),
    );
    const first = argument.length > 0 ? [zshQuoted(`1:value:(${argument.join(' ')})`)] : [];
    return `        ${name}) _arguments ${[...specs, ...first].join(' ')};;`;
  });
  return `#compdef holdpoint
_holdpoint() {
    local -a commands
    commands=(
${described.join('\n')}
    )
    if (( CURRENT == 2 )); then _describe 'command' commands; return; fi
    local command="$words[2]"
    shift words
    (( CURRENT-- ))
    case "$command" in
${cases.join('\n')}
    esac
}
compdef _holdpoint holdpoint
`;
}

export function fishCompletion(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, about, argument, options }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    const ofOptions = options.map(({ flags, about: what, takesValue, values }) => {
      const spelled = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const value = takesValue ? ` -r${values.length > 0 ? ` -f -a '${values.join(' ')}'` : ''}` : '';
      return `complete -c holdpoint ${within} ${spelled.join(' ')}${value} -d ${fishQuoted(what)}`;
    });
    const first = argument.length > 0 ? [`complete -c holdpoint ${within} -f -a '${argument.join(' ')}'`] : [];
    return [
      `complete -c holdpoint -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(about)}`,
      ...first,
      ...ofOptions,
    ];
  });
  return `# fish completion for holdpoint\n${lines.join('\n')}\n`;
}

function zshQuoted(text: string): string {
  return `'${text.replace(/'/g, "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
