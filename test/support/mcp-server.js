/**
 * A small MCP server for tests, on stdio or (with a port as its argument, or `startHttp`) over streamable HTTP. Written out by
 * hand: what is under test is the client, which is the official one.
 */
const { createServer } = require('node:http');
const readline = require('node:readline');

const tools = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  },
  { name: 'wipe.all', description: 'Wipes everything.', inputSchema: { type: 'object', properties: {} } },
  { name: 'refuse', description: 'Refuses.', inputSchema: { type: 'object' } },
  { name: 'structured', description: 'Structured.', inputSchema: { type: 'object' } },
  { name: 'hidden', description: 'Not for agents.', inputSchema: { type: 'object' } },
];

function call({ name, arguments: args }) {
  if (name === 'add') return { content: [{ type: 'text', text: String(args.a + args.b) }] };
  if (name === 'refuse') return { content: [{ type: 'text', text: 'no way' }], isError: true };
  if (name === 'structured') return { content: [{ type: 'text', text: '{}' }], structuredContent: { ok: true } };
  return { content: [{ type: 'text', text: `${name} was called by ${process.env.MCP_TEST_SECRET ?? 'nobody'}` }] };
}

function answer({ id, method, params }) {
  if (id === undefined) return undefined;
  const reply = (result) => ({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return reply({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'test', version: '1' } });
  }
  if (method === 'tools/list') return reply({ tools });
  if (method === 'tools/call') return reply(call(params));
  if (method === 'ping') return reply({});
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
}

/** Over HTTP; every request must carry `authorization`. Resolves to the address and a way to end it. */
exports.startHttp = async function startHttp(authorization) {
  const seen = [];
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== authorization) return void response.writeHead(401).end();
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += chunk;
    const message = JSON.parse(text);
    seen.push(message.method);
    const reply = answer(message);
    if (reply === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    seen,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

if (require.main === module) {
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const reply = answer(JSON.parse(line));
    if (reply) process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
}
