import { spawnSync } from 'node:child_process';

/** Severities that fail the audit, from low to high. */
const FAILING = ['moderate', 'high', 'critical'];

/**
 * Reads a report of `npm audit --json`.
 * @param {string} output what npm printed
 * @param {Record<string, { reason: string, until: string }>} accepted packages whose advisories are accepted, each with a
 *   reason and the last day (YYYY-MM-DD) on which that holds
 * @param {string} today YYYY-MM-DD
 * @returns {{ answered: false, reason: string } | { answered: true, problems: string[] }} answered: false where the registry
 *   has no advisories to tell
 */
export function readAdvisories(output, accepted, today) {
  const report = parse(output);
  if (!report?.vulnerabilities) {
    const status = report?.statusCode ? `status ${report.statusCode}` : 'no report';
    return { answered: false, reason: status };
  }
  const problems = Object.values(report.vulnerabilities)
    .filter(({ severity }) => FAILING.includes(severity))
    .filter(({ name }) => !(accepted[name] && accepted[name].until >= today))
    .map(({ name, severity, range, via }) => `${name} ${range}: ${severity}: ${titlesOf(via)}`);
  return { answered: true, problems };
}

/** Asks the registry for advisories on what runs in production. */
export function askForAdvisories(root) {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  return stdout ?? '';
}

function parse(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

const titlesOf = (via) => via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : cause.title)).join('; ');
