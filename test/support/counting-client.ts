/** A Temporal client that notes every gRPC call it makes: what a promise costs, counted and not timed. */
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Intercepted = ReturnType<Interceptor>;

export class CountingClient {
  private constructor(
    readonly client: Client,
    /** Method names in the order of the calls: `DescribeWorkflowExecution`, … */
    readonly calls: string[],
  ) {}

  /** Connects to the test run's server. No retries, so that a call counted is a call made. */
  static async connect(): Promise<CountingClient> {
    const calls: string[] = [];
    const count: Interceptor = (options, nextCall) => {
      calls.push(options.method_definition.path.split('/').at(-1) ?? '');
      return nextCall(options) as Intercepted;
    };
    const address = process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS ?? '';
    const connection = await Connection.connect({ address, interceptors: [count] });
    return new CountingClient(new Client({ connection, namespace: 'default' }), calls);
  }

  /** The calls made while `work` runs. */
  async during(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.calls.length;
    await work();
    return this.calls.slice(before);
  }

  async close(): Promise<void> {
    await this.client.connection.close();
  }
}
