// A local server that speaks OpenAI's chat completions and thinks for as long as the model's name says: `after-50`.
import { createServer } from 'node:http';

export async function startModelServer() {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const { model } = JSON.parse(text);
      const message = { role: 'assistant', content: 'done' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const body = JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model, choices, usage });
      const answer = () => response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      setTimeout(answer, Number(model.split('-')[1]));
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
