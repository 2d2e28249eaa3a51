import type { FastifyInstance } from 'fastify';
import { isDeeperThan, LIMITS } from '../workflows/contract';
import { ApiError } from './errors';

/**
 * Takes JSON bodies and nothing else. Bytes that are no UTF-8 are an error: decoding them into replacement characters
 * would change what a person wrote.
 */
export function addJsonBody(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  const parseText = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    let text: string;
    try {
      text = decoder.decode(body as Buffer);
    } catch {
      done(new ApiError('malformed_request', 'the body is not UTF-8'));
      return;
    }
    if (text.length === 0) {
      // A client that always sends the header, on a call that takes no body.
      done(null, undefined);
      return;
    }
    void parseText(request, text, (error: Error | null, value?: unknown) => {
      if (error) done(new ApiError('malformed_request', `the body is not JSON: ${error.message}`));
      else if (isDeeperThan(value, LIMITS.jsonDepth)) {
        done(new ApiError('malformed_request', `the body is nested deeper than ${LIMITS.jsonDepth} levels`));
      } else done(null, value);
    });
  });
}
