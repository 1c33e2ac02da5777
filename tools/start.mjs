import './launch/node-version.mjs';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { demoMail } from './launch/demo-mail.mjs';
import { endLeftHost, startHost } from './launch/host.mjs';
import { startSettings } from './launch/start-settings.mjs';
import { stopWithNpm } from './launch/stop-with-npm.mjs';
import { refuseTakenPorts } from './launch/taken-ports.mjs';
import { build, installWhenMissing, root } from './launch/workspace.mjs';
import { privateFolder } from './services/credentials.mjs';
import { startAll } from './services/services.mjs';

// npm start: the whole system on one machine, from a fresh clone to the line "ready <public-url> <internal-url>". Then it keeps
// the servers and the host running until it is told to end, and ends them with itself.
const say = (text) => console.error(`start: ${text}`);
const stopping = new AbortController();
const stop = () => stopping.abort();
const stopRequest = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
stopWithNpm(stop);

async function main() {
  const settings = startSettings(process.env, process.argv.slice(2), root);
  const { dataDir, port, internalPort } = settings;
  if (await endLeftHost(dataDir)) say('ended a host that a killed launcher had left');
  await refuseTakenPorts(
    { PORT: port, INTERNAL_PORT: internalPort },
    { PORT: process.env.PUBLIC_HOST, INTERNAL_PORT: process.env.INTERNAL_HOST },
  );
  try {
    await installWhenMissing(say, stopping.signal);
    await build(say, stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  }
  if (stopping.signal.aborted) return say('stopped');

  say(`data is in ${path.relative(process.cwd(), dataDir) || '.'}`);
  privateFolder(path.join(dataDir, 'files'));
  const programsDir = process.env.PROGRAMS_DIR;
  const servers = await startAll(dataDir, { say, ...(programsDir && { programsDir }) });
  try {
    for (const { name, how, ms } of servers.all) say(`${name}: ${how} (${ms} ms)`);
    if (!stopping.signal.aborted) await runWithMail(settings, servers.env, programsDir);
  } finally {
    await servers.stop();
  }
  say('stopped');
}

async function runWithMail(settings, serverEnv, programsDir = path.join(settings.dataDir, 'tools')) {
  const { DEMO } = createRequire(import.meta.url)('../libs/contracts');
  const people = DEMO.people.map(({ name, givenName, surname }) => ({
    name: `${givenName} ${surname}`,
    address: `${name}@${DEMO.domain}`,
  }));
  const mail = await demoMail(settings, { programsDir, people, say });
  try {
    if (!stopping.signal.aborted) await runHost(settings, { ...serverEnv, ...mail.env });
  } finally {
    await mail.stop();
  }
}

async function runHost({ dataDir, env, made }, serverEnv) {
  tellSecrets(dataDir, env, made);
  const onReady = (publicUrl, internalUrl) => {
    tellWhere(dataDir, env, publicUrl, internalUrl);
    void fillDemo(dataDir, env, publicUrl);
  };
  const host = startHost(dataDir, { ...env, ...serverEnv }, onReady, say);
  const reason = await Promise.race([host.failed, stopRequest.then(() => undefined)]);
  if (stopping.signal.aborted) say('stopping');
  await host.stop();
  if (reason && !stopping.signal.aborted) throw new Error(reason);
}

function tellSecrets(dataDir, env, made) {
  if (made.GROUPWARE_MASTER_PASSWORD)
    say(
      `master administrator, told this once and kept in ${path.join(dataDir, 'secrets.json')}: ` +
        `${env.GROUPWARE_MASTER_LOGIN} / ${made.GROUPWARE_MASTER_PASSWORD}`,
    );
  else if (env.GROUPWARE_MASTER_PASSWORD)
    say(`master administrator: ${env.GROUPWARE_MASTER_LOGIN}; password in ${path.join(dataDir, 'secrets.json')}`);
}

function tellWhere(dataDir, env, publicUrl, internalUrl) {
  const lines = [`REST administration, health, metrics: ${internalUrl}`];
  if (publicUrl.startsWith('http')) {
    const bases = env.BASE_PATH.split(',').map((base) => new URL(base.trim(), publicUrl).href);
    lines.unshift(`module calls: ${bases.join(', ')}`);
    lines.push(`explorer: ${new URL('/docs', publicUrl).href}`);
  }
  const demo = path.join(dataDir, 'demo.json');
  if (env.GROUPWARE_DEMO === 'true' && fs.existsSync(demo)) {
    const [first, second] = JSON.parse(fs.readFileSync(demo, 'utf8')).users;
    lines.push(`demo login: ${first.login} / ${first.password}`, `another one: ${second.login}, the same password`);
  }
  for (const line of lines) console.log(line);
}

/** Gives the people of the demo calendars with appointments, as clients do: the login works before they are there. */
async function fillDemo(dataDir, env, publicUrl) {
  const demo = path.join(dataDir, 'demo.json');
  if (env.GROUPWARE_DEMO !== 'true' || !fs.existsSync(demo) || !publicUrl.startsWith('http')) return;
  const { ensureAppointments } = createRequire(import.meta.url)('../apps/svcctl');
  const [base] = env.BASE_PATH.split(',');
  try {
    const made = await ensureAppointments(
      new URL(base.trim(), publicUrl).href,
      JSON.parse(fs.readFileSync(demo, 'utf8')).users,
    );
    if (made > 0) say(`demo: made ${made} appointments around today`);
  } catch (error) {
    say(`demo: no appointments were made: ${error.message}`);
  }
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(`start: ${error.message}`);
    process.exit(1);
  },
);
