import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of OTLP over HTTP, as far as it takes to see what is sent. */
export class OtlpCollector {
  readonly spans: { name: string; traceId: string; spanId: string; parentSpanId?: string; service: string }[] = [];
  text = '';
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.take(Buffer.concat(chunks).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take(text: string): void {
    this.text += text;
    for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
      const service = resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue;
      for (const { spans } of scopeSpans) for (const span of spans) this.spans.push({ ...span, service });
    }
  }
}
