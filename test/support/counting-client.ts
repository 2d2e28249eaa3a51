/** A Temporal client that notes every gRPC call it makes: what a promise costs, counted and not timed. */
import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { largeMessages } from '../../api/service/grpc-messages';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Intercepted = ReturnType<Interceptor>;

export class CountingClient {
  private constructor(
    readonly client: Client,
    /** Method names in the order of the calls: `DescribeWorkflowExecution`, … */
    readonly calls: string[],
    private readonly open: Map<string, number>,
  ) {}

  /** Connects to the test run's server. No retries, so that a call counted is a call made. */
  static async connect(): Promise<CountingClient> {
    const calls: string[] = [];
    const open = new Map<string, number>();
    const count: Interceptor = (options, nextCall) => {
      const name = options.method_definition.path.split('/').at(-1) ?? '';
      calls.push(name);
      open.set(name, (open.get(name) ?? 0) + 1);
      const call = nextCall(options);
      const start = call.start.bind(call);
      call.start = (metadata, listener) =>
        start(metadata, {
          onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
          onReceiveMessage: (message) => listener?.onReceiveMessage?.(message),
          onReceiveStatus: (status) => {
            open.set(name, (open.get(name) ?? 0) - 1);
            listener?.onReceiveStatus?.(status);
          },
        });
      return call as Intercepted;
    };
    const address = process.env.HOLDPOINT_TEST_TEMPORAL_ADDRESS ?? '';
    const connection = await Connection.connect({ address, interceptors: [count], channelArgs: largeMessages });
    return new CountingClient(new Client({ connection, namespace: 'default' }), calls, open);
  }

  /** Calls of this name that have no reply yet: long polls, for one. */
  inFlight(name: string): number {
    return this.open.get(name) ?? 0;
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
