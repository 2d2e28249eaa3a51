/** `holdpoint completion <shell>`: what a shell needs to complete commands, options and their values. */
import { Argument } from 'commander';
import type { AddCommand } from '../program';
import { bashCompletion, fishCompletion, wordsOf, zshCompletion } from '../terminal/completion-scripts';
import { EXIT } from '../terminal/exit';

const SHELLS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

const HELP = `
to switch it on, once:
  bash   echo 'source <(holdpoint completion bash)' >> ~/.bashrc
  zsh    echo 'source <(holdpoint completion zsh)' >> ~/.zshrc     (after compinit)
  fish   holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish
`;

export const completionCommand: AddCommand = (program, onExit) => {
  program
    .command('completion')
    .description('print what a shell needs to complete holdpoint commands')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SHELLS) => {
      process.stdout.write(SHELLS[shell](wordsOf(program)));
      onExit(EXIT.ok);
    });
};
