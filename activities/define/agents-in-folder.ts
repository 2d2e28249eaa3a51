import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent } from '../model';
import type { StartableWorkflow } from './define-workflow';

const CODE = /\.(js|cjs|mjs)$/;
const INDEXES = ['index.js', 'index.cjs', 'index.mjs'];

/** What a folder of agents holds. */
export interface InFolder {
  agents: Agent[];
  workflows: StartableWorkflow[];
}

/** The agents of a folder: see `allInFolder`. */
export async function agentsInFolder(folder: string): Promise<Agent[]> {
  return (await allInFolder(folder)).agents;
}

/**
 * Every agent, and every workflow made startable by `defineWorkflow`, that the files of a folder export: `.js`, `.cjs` and `.mjs` in it, and the index file of each folder in
 * it. Files and folders whose names begin with `_` or `.`, and tests, are left out; so is an export that is no agent.
 * Throws one line that names the file when one cannot be loaded, and when there is no agent at all.
 */
export async function allInFolder(folder: string): Promise<InFolder> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${folder} is no folder`);
  const found = new Set<unknown>();
  for (const file of agentFiles(folder)) {
    for (const value of await exportsOf(file)) found.add(value);
  }
  const agents = [...found].filter(isAgent);
  const workflows = [...found].filter(isWorkflow);
  if (agents.length + workflows.length === 0) {
    throw new Error(`${folder} has no file that exports an agent (.js, .cjs or .mjs)`);
  }
  return { agents, workflows };
}

function agentFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (/^[._]/.test(entry.name) || entry.name === 'node_modules') return [];
    if (statSync(file).isDirectory()) {
      const index = INDEXES.map((name) => path.join(file, name)).find((candidate) => existsSync(candidate));
      return index === undefined ? [] : [index];
    }
    return CODE.test(entry.name) && !/\.test\.\w+$/.test(entry.name) ? [file] : [];
  });
}

async function exportsOf(file: string): Promise<unknown[]> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be loaded: ${why}`, { cause: error });
  }
  // A CommonJS file comes as its named exports and, again, as the default one.
  const values = [...Object.values(exported), ...Object.values((exported.default ?? {}) as Record<string, unknown>)];
  return values.flat();
}

function isAgent(value: unknown): value is Agent {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description, model } = value as Partial<Agent>;
  return typeof name === 'string' && typeof description === 'string' && typeof model?.respond === 'function';
}

function isWorkflow(value: unknown): value is StartableWorkflow {
  if (typeof value !== 'object' || value === null) return false;
  const { name, description, workflow } = value as Partial<StartableWorkflow>;
  return typeof name === 'string' && typeof description === 'string' && typeof workflow?.type === 'string';
}
