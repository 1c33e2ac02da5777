import path from 'node:path';
import { EdgeMetrics } from '../../apps/gateway/src/observe/metrics';
import { loadModules, moduleNamesOf } from '@groupware/host';
import { metrics } from '@groupware/service-kit';
import { collectDefaultMetrics } from 'prom-client';
import { alertsWithoutRunbook, unknownMetrics } from './observability.mjs';

const root = path.join(__dirname, '..', '..');

describe('dashboards and alerts', () => {
  it('name metrics that the product has', async () => {
    await loadModules(moduleNamesOf({}));
    // Made when a process starts.
    collectDefaultMetrics({ register: metrics });
    new EdgeMetrics();
    const known = new Set<string>((await metrics.getMetricsAsJSON()).map(({ name }) => name));
    expect(known.size).toBeGreaterThan(40);
    expect(unknownMetrics(root, known)).toEqual([]);
    known.delete('groupware_bus_connected');
    expect(unknownMetrics(root, known)).toContain('GroupwareBusLost: there is no metric groupware_bus_connected');
  }, 60_000);

  it('have a runbook for each alert', () => {
    expect(alertsWithoutRunbook(root)).toEqual([]);
  });
});
