import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

// Compares the metrics named in k8s/components/observability with those that exist and with the runbook.

const FOLDER = path.join('k8s', 'components', 'observability');
/** Our metrics, and those of Node and the process. */
const METRIC = /\b(?:groupware|nodejs|process)_[a-z0-9_]+/g;
/** Suffix that a histogram or a summary adds to its name. */
const PARTS = /_(?:bucket|count|sum)$/;

/** @returns {{ alert: string, expr: string, annotations?: Record<string, string>, labels?: Record<string, string> }[]} */
function alertsOf(root) {
  const { spec } = parse(fs.readFileSync(path.join(root, FOLDER, 'prometheus-rule.yaml'), 'utf8'));
  return spec.groups.flatMap(({ rules }) => rules);
}

function expressionsOf(root) {
  const folder = path.join(root, FOLDER, 'dashboards');
  const dashboards = fs.readdirSync(folder).flatMap((name) => {
    const { panels } = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `${name}: ${title}`, expr })));
  });
  return [...dashboards, ...alertsOf(root).map(({ alert, expr }) => ({ where: alert, expr }))];
}

/**
 * Metrics that a dashboard or an alert names and that the product does not have.
 * @param {string} root the checkout
 * @param {ReadonlySet<string>} known names of the registry of a running product
 * @returns {string[]}
 */
export function unknownMetrics(root, known) {
  return expressionsOf(root).flatMap(({ where, expr }) =>
    (expr.match(METRIC) ?? [])
      .filter((name) => !known.has(name) && !known.has(name.replace(PARTS, '')))
      .map((name) => `${where}: there is no metric ${name}`),
  );
}

/**
 * Alerts without a severity, a summary or a section of a runbook, and sections of alerts that do not exist.
 * @param {string} root the checkout
 * @returns {string[]}
 */
export function alertsWithoutRunbook(root) {
  const alerts = alertsOf(root);
  const used = new Set();
  const problems = alerts.flatMap(({ alert, labels, annotations }) => {
    if (!labels?.severity || !annotations?.summary) return [`${alert} has no severity or no summary`];
    const [file, section] = (annotations.runbook_url ?? '').split('#');
    const page = path.join(root, file);
    if (!section || !fs.existsSync(page)) return [`${alert} has no runbook`];
    used.add(page);
    return headingsOf(page).includes(section) ? [] : [`${file} has no section ${section}`];
  });
  const names = new Set(alerts.map(({ alert }) => alert.toLowerCase()));
  for (const page of used)
    for (const heading of headingsOf(page))
      if (!names.has(heading)) problems.push(`${path.relative(root, page)}: no alert is called ${heading}`);
  return problems;
}

const headingsOf = (page) =>
  [...fs.readFileSync(page, 'utf8').matchAll(/^## (\w+)$/gm)].map(([, heading]) => heading.toLowerCase());
