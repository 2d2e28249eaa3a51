/** A local server that speaks OpenAI's chat completions: the real wire between an agent and a model that a test plays. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface WireCall {
  name: string;
  /** Sent as JSON; a string goes over the wire as it is. */
  args: unknown;
  id?: string;
}

/** What the model says to one request: a turn, or a refusal of the provider. `hang` never answers. */
export type WireReply =
  | { text?: string; calls?: WireCall[]; finish?: string; tokens?: number }
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | { hang: true };

export interface WireMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** One request as it came in. */
export interface WireRequest {
  at: number;
  authorization: string | undefined;
  body: {
    model: string;
    messages: WireMessage[];
    tools?: { function: { name: string; description: string; parameters: Record<string, unknown> } }[];
    temperature?: number;
    max_tokens?: number;
  };
}

type Player = (request: WireRequest, nth: number) => WireReply;

/** Models are told apart by their names, so that many runs can share one server. */
export class OpenAiServer {
  private readonly players = new Map<string, Player>();
  private readonly requests = new Map<string, WireRequest[]>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.answer(request, response));
  }

  static async start(): Promise<OpenAiServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new OpenAiServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** From now on the model says these things, one a request, the last one again and again. */
  plays(model: string, ...replies: (WireReply | Player)[]): void {
    this.requests.set(model, []);
    this.players.set(model, (request, nth) => {
      const reply = replies[Math.min(nth, replies.length - 1)] as WireReply | Player;
      return typeof reply === 'function' ? reply(request, nth) : reply;
    });
  }

  requestsOf(model: string): WireRequest[] {
    return this.requests.get(model) ?? [];
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as WireRequest['body'];
    const request = { at: Date.now(), authorization: incoming.headers.authorization, body };
    const seen = this.requests.get(body.model) ?? [];
    this.requests.set(body.model, [...seen, request]);
    const reply = this.players.get(body.model)?.(request, seen.length) ?? {
      status: 404,
      body: { error: { message: `no such model: ${body.model}` } },
    };
    if ('hang' in reply) return;
    const { status, headers, json } =
      'status' in reply ? refusal(reply) : { status: 200, headers: {}, json: completion(body.model, reply) };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof json === 'string' ? json : JSON.stringify(json));
  }
}

function refusal({ status, headers = {}, body }: Extract<WireReply, { status: number }>) {
  return { status, headers, json: body ?? { error: { message: `status ${status}` } } };
}

function completion(model: string, reply: Extract<WireReply, { text?: string }>): unknown {
  const calls = (reply.calls ?? []).map((call, k) => ({
    id: call.id ?? `wire_${k}_${Math.random().toString(36).slice(2, 10)}`,
    type: 'function',
    function: { name: call.name, arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args) },
  }));
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const finish_reason = reply.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const tokens = reply.tokens ?? 15;
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: tokens - 5, completion_tokens: 5, total_tokens: tokens },
  };
}

/** What a tool call got, as the model was sent it. */
export function toolMessages({ body }: WireRequest): unknown[] {
  return body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content ?? 'null') as unknown);
}
