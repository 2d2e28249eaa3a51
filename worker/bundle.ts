import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleWorkflowCode, type WorkflowBundleOption } from '@temporalio/worker';

/** Where the build puts the workflow bundle: beside the compiled code. */
const BUNDLE_PATH = path.resolve(__dirname, '..', 'workflow-bundle.js');

async function bundle(workflowInterceptorModules: string[] = []): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: require.resolve('../workflows'),
    // Shared by all runs of a worker instead of evaluated for each: half the memory of a paused run (docs/cost.md).
    preloadModules: ['zod', require.resolve('../workflows/preloaded')],
    workflowInterceptorModules,
    logger: quietLogger,
  });
  return code;
}

/** Bundles the workflows and writes them to `file`, whole or not at all. */
export async function writeWorkflowBundle(file: string = BUNDLE_PATH): Promise<string> {
  const code = await bundle();
  await mkdir(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, withoutSources(code));
  await rename(unfinished, file);
  return file;
}

const INLINE_MAP = /(\/\/# sourceMappingURL=data:application\/json;charset=utf-8;base64,)([A-Za-z0-9+/=]+)/;

/**
 * The bundle with a source map that names files and lines, which is what stack traces need, and not the sources
 * themselves: half the size, read and kept by every worker.
 */
function withoutSources(code: string): string {
  return code.replace(INLINE_MAP, (_all, prefix: string, map: string) => {
    const { sourcesContent: _, ...rest } = JSON.parse(Buffer.from(map, 'base64').toString()) as Record<string, unknown>;
    return prefix + Buffer.from(JSON.stringify(rest)).toString('base64');
  });
}

/** The bundle that the build made; made now when it is not there. */
export async function workflowBundle(): Promise<WorkflowBundleOption> {
  if (!existsSync(BUNDLE_PATH)) await writeWorkflowBundle();
  return { codePath: BUNDLE_PATH };
}

/** A bundle whose workflows are traced, made now: some seconds of work. */
export async function tracedWorkflowBundle(): Promise<WorkflowBundleOption> {
  return { code: await bundle([require.resolve('@temporalio/interceptors-opentelemetry/lib/workflow-interceptors')]) };
}

const ignore = () => undefined;
/** Webpack's statistics are nobody's news; its warnings and errors are. */
const quietLogger = {
  log: ignore,
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: (message: string) => console.warn(message),
  error: (message: string) => console.error(message),
};
