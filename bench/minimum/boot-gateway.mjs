// The composed minimum of a client's start, gateway: node:http -> Redis -> one NATS request for each part, side by side -> bytes
// joined. Nothing is checked but the session's existence and the password.
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import Redis from 'ioredis';
import { connectBus } from './connect-bus.mjs';

const redis = new Redis(process.env.REDIS_URL);
const bus = await connectBus();
await redis.ping();
const TIMEOUT = { timeout: 20_000 };

const bodyOf = async (request) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
};
const comma = Buffer.from(',');
const joined = (texts) => texts.flatMap((text, index) => (index === 0 ? [text] : [comma, text]));
const load = (context, questions) =>
  Promise.all(
    questions.map(async ({ name, process }) => {
      const answer = await bus.request(`bench-minimum.part.${process}`, JSON.stringify({ context, name }), TIMEOUT);
      return answer.data;
    }),
  );

async function logIn(form) {
  const [name, context] = form.get('name').split('@');
  const question = JSON.stringify({ context: Number(context), name, password: form.get('password') });
  const { data } = await bus.request('bench-minimum.login', question, TIMEOUT);
  if (Buffer.from(data).toString() !== 'yes') return [Buffer.from('{"error":"no"}')];
  const session = randomBytes(16).toString('hex');
  await redis.set(`bench-minimum:${session}`, JSON.stringify({ context: Number(context), name }), 'EX', 3600);
  const parts = await load(Number(context), JSON.parse(process.env.RAMPUP));
  return [Buffer.from(`{"session":"${session}","rampup":[`), ...joined(parts), Buffer.from(']}')];
}

async function batch(url, request) {
  const text = await redis.get(`bench-minimum:${url.searchParams.get('session')}`);
  if (!text) return [Buffer.from('{"error":"no session"}')];
  const parts = await load(JSON.parse(text).context, JSON.parse(await bodyOf(request)));
  return [Buffer.from('['), ...joined(parts), Buffer.from(']')];
}

const server = http.createServer(async (request, response) => {
  try {
    const url = new URL(request.url, 'http://localhost');
    const body = Buffer.concat(
      url.pathname === '/login' ? await logIn(new URLSearchParams(await bodyOf(request))) : await batch(url, request),
    );
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  } catch (error) {
    response.writeHead(500);
    response.end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}`));
process.once('SIGTERM', () => process.exit(0));
