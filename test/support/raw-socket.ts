/** Bytes on a socket, for requests that no HTTP client would send. */
import net from 'node:net';

export interface RawReply {
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Sends `bytes` and reads one reply to its end, by its `content-length` or until the server closes. Null when the
 * server closes without a word.
 */
export function sendRaw(url: string, bytes: string | Buffer): Promise<RawReply | null> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (reply: RawReply | null) => {
      socket.destroy();
      resolve(reply);
    };
    socket.setTimeout(20_000, () => {
      socket.destroy();
      reject(new Error(`no whole reply: ${received.toString().slice(0, 500)}`));
    });
    // A server may refuse while we are still sending; what it said before that counts.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const reply = replyOf(received, false);
      if (reply) finish(reply);
    });
    socket.on('close', () => finish(replyOf(received, true)));
    socket.write(bytes);
  });
}

/** A request by hand: its first line and header lines as given, then the body. */
export function requestBytes(head: string[], body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)]);
}

function replyOf(received: Buffer, closed: boolean): RawReply | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(first.split(' ')[1]);
  if (status === 100) return replyOf(received.subarray(end + 4), closed);
  const body = received.subarray(end + 4);
  const length = headers.get('content-length');
  if (!closed && (length === null || body.length < Number(length))) return null;
  return { status, headers, text: body.toString('utf8') };
}
