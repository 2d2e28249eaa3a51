/** A network that fails on demand: a TCP proxy in front of an API. */
import net from 'node:net';

export class FlakyProxy {
  private readonly sockets = new Set<net.Socket>();
  private repliesToLose = 0;
  /** Connections so far. */
  connections = 0;
  /** Requests so far, as their first lines. */
  readonly requests: string[] = [];

  private constructor(
    private readonly server: net.Server,
    private readonly target: URL,
  ) {}

  static async start(targetUrl: string): Promise<FlakyProxy> {
    const server = net.createServer();
    const proxy = new FlakyProxy(server, new URL(targetUrl));
    server.on('connection', (socket) => proxy.serve(socket));
    await proxy.listen(0);
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  private port = 0;

  /** The next `count` replies never arrive, although the API has done what it was asked for. */
  loseReplies(count: number): void {
    this.repliesToLose = count;
  }

  /** Ends every open connection, as a restart of something in between does. */
  drop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Nobody can connect any more. */
  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Takes connections again, at the same address. */
  async open(): Promise<void> {
    await this.listen(this.port);
  }

  private async listen(port: number): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.port = (this.server.address() as net.AddressInfo).port;
  }

  private serve(socket: net.Socket): void {
    this.connections += 1;
    const upstream = net.connect(Number(this.target.port), this.target.hostname);
    for (const end of [socket, upstream]) {
      this.sockets.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        this.sockets.delete(end);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.on('data', (data) => {
      this.requests.push(...(data.toString('latin1').match(/^[A-Z]+ \/.* HTTP\/1\.1$/gm) ?? []));
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (this.repliesToLose === 0) socket.write(data);
      else {
        this.repliesToLose -= 1;
        socket.destroy();
      }
    });
  }
}
