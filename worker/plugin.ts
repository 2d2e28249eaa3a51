import {
  NativeConnection,
  type BundleOptions,
  type BundlerPlugin,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { createActivities, type ActivityDeps, type Agent } from '../activities';
import { agentRegistry } from '../activities/agents';
import type { WorkflowAgent } from '../workflows/contract';
import { checkSearchAttributes, ensureSearchAttributes } from './search-attributes';

export interface HoldpointPluginOptions extends Omit<ActivityDeps, 'agents' | 'workflows'> {
  /** Agents whose turns this worker takes: for `agentRun`, exported by the worker's own workflows. Default none. */
  agents?: readonly Agent[] | undefined;
  /** Workflows made with `pausableRun` that those agents may delegate to, under the names of agents. */
  workflows?: readonly WorkflowAgent[] | undefined;
  /**
   * What becomes of search attributes that the namespace lacks: `register` adds them, `check` refuses to start and says
   * how to add them, `skip` leaves the matter to you (an upsert of one that is missing fails every workflow task).
   */
  searchAttributes?: 'register' | 'check' | 'skip' | undefined;
}

/**
 * Makes any Temporal worker one that runs Holdpoint's workflows: `Worker.create({ …, plugins: [new HoldpointPlugin()] })`.
 * Adds activities and makes sure of the search attributes before the worker polls; workflows, task queue, interceptors and
 * data converter stay the worker's own. `Worker.create` rejects with `SearchAttributesError` where they are missing and
 * cannot be added, and with an `Error` when the worker has an activity of the same name.
 */
export class HoldpointPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'holdpoint';

  constructor(private readonly options: HoldpointPluginOptions = {}) {}

  async configureWorker(worker: WorkerOptions): Promise<WorkerOptions> {
    await this.searchAttributes(worker);
    const { agents = [], searchAttributes: _searchAttributes, ...deps } = this.options;
    const ours = createActivities({
      ...deps,
      agents: agentRegistry(
        agents,
        deps.workflows?.map(({ agent }) => agent),
      ),
    });
    return { ...worker, activities: merged(worker.activities, ours) };
  }

  /**
   * A workflow bundle is one file: what its code imports lazily is put into it too. The OpenAI Agents SDK does so, and
   * its bundle would not start.
   */
  configureBundler(options: BundleOptions): BundleOptions {
    const { webpackConfigHook: theirs = (config) => config } = options;
    return { ...options, webpackConfigHook: (config) => withEagerImports(theirs(config)) };
  }

  private async searchAttributes({ connection, namespace = 'default' }: WorkerOptions): Promise<void> {
    const { searchAttributes: mode = 'register' } = this.options;
    if (mode === 'skip') return;
    const makeSure = mode === 'check' ? checkSearchAttributes : ensureSearchAttributes;
    if (connection) return makeSure(connection, namespace);
    // Without one the worker connects to the local server by itself; so do we, for as long as it takes.
    const own = await NativeConnection.connect();
    try {
      await makeSure(own, namespace);
    } finally {
      await own.close();
    }
  }
}

/** The worker's activities and ours. Theirs may be an instance of a class, whose methods are not its own keys. */
function merged(theirs: object | undefined, ours: object): object {
  if (!theirs) return ours;
  const taken = Object.keys(ours).filter((name) => name in theirs);
  if (taken.length > 0)
    throw new Error(`the worker has an activity of its own named ${taken.join(' and ')}: rename it`);
  return Object.assign(Object.create(Object.getPrototypeOf(theirs) as object) as object, theirs, ours);
}

type WebpackConfig = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

function withEagerImports(config: WebpackConfig): WebpackConfig {
  const parser = { ...config.module?.parser };
  const javascript = { ...parser.javascript, dynamicImportMode: 'eager' as const };
  return { ...config, module: { ...config.module, parser: { ...parser, javascript } } };
}
