// node bench/simulate.mjs: what an installation of so many users needs, by the figures of bench/sizing.mjs and a stated profile.
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    users: { type: 'string', default: '10000,100000,1000000' },
    'users-per-shard': { type: 'string', default: '125000' },
    /** Of bench/sizing.mjs; of a machine like yours, if you can. */
    figures: { type: 'string', default: fileURLToPath(new URL('sizing.json', import.meta.url)) },
    /** Share of the users who work in the busiest hour, and what each of them does in it. */
    active: { type: 'string', default: '0.3' },
    'calls-per-hour': { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
});
const figures = JSON.parse(fs.readFileSync(options.figures, 'utf8'));

/** Shares of the calls of a user; the rest only asks whether something is new. */
const MIX = {
  'page of mails': 0.12,
  mail: 0.12,
  week: 0.06,
  'week of events': 0.06,
  'folder list': 0.08,
  completion: 0.04,
  'page of contacts': 0.02,
  'page of tasks': 0.02,
  'page of files': 0.03,
  download: 0.02,
  'new appointment': 0.01,
  'new event': 0.01,
  'new contact': 0.005,
  'new task': 0.005,
  upload: 0.01,
};
MIX['session check'] = 1 - Object.values(MIX).reduce((sum, share) => sum + share);
/** Calls that change something: an event each, which push tells. */
const WRITES = ['new appointment', 'new event', 'new contact', 'new task', 'upload'];
/** Objects that a user keeps; the bytes of documents are in the file store. */
const KEPT = { event: 500, contact: 200, task: 100, document: 500 };
/** Processes are planned to be busy for so much of their core: a roll-out and a failed node need the rest. */
const BUSY = 0.6;
/** Sessions of an active user: a browser and a telephone. */
const SESSIONS = 2;
/** Streams of an active user, how many one gateway may keep (GATEWAY_STREAMS_MAX), what one takes, and how often it is checked. */
const STREAMS = { each: 1, ofGateway: 10_000, kib: 21, checkS: 20 };
const POOL = 8;
/** Connections of a process beside its pools, and of people and jobs. */
const [EXTRA, OTHERS] = [3, 20];
const EVENT_DAYS = 7;
const DAY_S = 86_400;
/** The busiest hour has so many times the calls of an average one. */
const PEAK = 4;
/** Measured or configured capacity of one process or server. */
const LIMITS = {
  pushEvents: 2_000,
  connections: 500,
  redisCores: 0.7,
  natsCores: 2,
  shardCores: 32,
  jetStreamGiB: 200,
};

const GIB = 2 ** 30;
const MODULES = Object.keys(figures.busyMiB);
const ON_DEFAULT_SHARD = 'identity, folders';
const perCall = (part) =>
  Object.entries(MIX).reduce((sum, [call, share]) => sum + share * (figures.cost[call].cpuMs[part] ?? 0), 0) / 1000;

function installation(users) {
  const active = users * Number(options.active);
  const calls = (active * Number(options['calls-per-hour'])) / 3600;
  const writes = calls * WRITES.reduce((sum, call) => sum + MIX[call], 0);
  const shards = Math.ceil(users / Number(options['users-per-shard']));
  const cores = (part) => calls * perCall(part);
  // Two of each: one may leave.
  const processes = (needed) => Math.max(2, Math.ceil(needed / BUSY));
  const streams = active * STREAMS.each;
  const counts = Object.fromEntries(MODULES.map((name) => [name, processes(cores(name))]));
  counts.gateway = Math.max(counts.gateway, processes(streams / STREAMS.ofGateway));
  counts.push = Math.max(2, Math.ceil(writes / (LIMITS.pushEvents * BUSY)));
  const all = Object.values(counts).reduce((sum, count) => sum + count);
  // Each process of a module keeps a pool for every shard, whatever their number; that of identity lives on the default one.
  const toShard = (all - counts.gateway - counts[ON_DEFAULT_SHARD]) * POOL + OTHERS;
  const toDefaultShard = toShard + counts[ON_DEFAULT_SHARD] * POOL + all * EXTRA;
  const bytesOfUser = Object.entries(KEPT).reduce((sum, [kind, count]) => sum + count * figures.sizes[kind].bytes, 0);
  const memory = MODULES.reduce((sum, name) => sum + counts[name] * figures.busyMiB[name], 0);
  return {
    users,
    'calls/s': Math.round(calls),
    'writes/s': Math.round(writes),
    'open streams': Math.round(streams),
    'looks at sessions of streams/s': Math.round(streams / STREAMS.checkS),
    shards,
    ...Object.fromEntries(MODULES.map((name) => [`processes of ${name}`, counts[name]])),
    'GiB of processes': Math.round(((streams * STREAMS.kib) / 1024 + memory) / 1024),
    'connections of the default shard': toDefaultShard,
    'connections of each other shard': toShard,
    'cores of Postgres, of each shard': Number((cores('postgres') / shards).toFixed(1)),
    'GiB of each shard': Math.round((users * bytesOfUser) / shards / GIB),
    'cores of Redis': Number(cores('redis-server').toFixed(2)),
    'GiB of Redis': Number(((active * SESSIONS * figures.sessionBytes) / GIB).toFixed(2)),
    'cores of NATS': Number(cores('nats-server').toFixed(2)),
    [`GiB of JetStream, ${EVENT_DAYS} days`]: Number(
      (((writes / PEAK) * DAY_S * EVENT_DAYS * figures.eventBytes.jetStream) / GIB).toFixed(1),
    ),
    'GiB of logs of gateways, a day': Number((((calls / PEAK) * DAY_S * figures.logBytesOfCall) / GIB).toFixed(1)),
  };
}

/** How much of each limit is used, the one that breaks first before the others. */
function headroom(plan) {
  const used = {
    [`connections of the default shard (${LIMITS.connections})`]:
      plan['connections of the default shard'] / LIMITS.connections,
    [`one core of Redis (${LIMITS.redisCores} of it)`]: plan['cores of Redis'] / LIMITS.redisCores,
    [`NATS (${LIMITS.natsCores} cores)`]: plan['cores of NATS'] / LIMITS.natsCores,
    [`Postgres of a shard (${LIMITS.shardCores} cores)`]: plan['cores of Postgres, of each shard'] / LIMITS.shardCores,
    [`JetStream (${LIMITS.jetStreamGiB} GiB)`]: plan[`GiB of JetStream, ${EVENT_DAYS} days`] / LIMITS.jetStreamGiB,
  };
  return Object.entries(used).sort(([, one], [, other]) => other - one);
}

const plans = options.users.split(',').map((each) => installation(Number(each)));
if (options.json) console.log(JSON.stringify(plans, undefined, 2));
else {
  const width = Math.max(...Object.keys(plans[0]).map((name) => name.length));
  for (const name of Object.keys(plans[0]))
    console.log(name.padEnd(width + 2), ...plans.map((plan) => plan[name].toLocaleString('en').padStart(12)));
  for (const plan of plans) {
    console.log(`\n${plan.users.toLocaleString('en')} users, what breaks first (share of what there is):`);
    for (const [what, share] of headroom(plan)) console.log(`  ${(share * 100).toFixed(0).padStart(5)} %  ${what}`);
  }
}
