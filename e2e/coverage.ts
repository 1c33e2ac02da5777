import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { operations, type Operation } from '@groupware/contracts';
import { metrics } from '@groupware/service-kit';
import { listSeenValues } from './answer-values';
import { referenceOf } from './rest-models';
import { seenStatuses, wrongAnswers } from './rest-watch';
import { nameOf } from './samples';

/** Record of what end-to-end tests saw of one operation. */
export interface OperationCoverage {
  readonly name: string;
  readonly kind: string;
  readonly service: string;
  /** Codes the contract declares. */
  readonly declared: readonly string[];
  readonly successes: number;
  /** Codes that were answered. */
  readonly seen: readonly string[];
  /** HTTP statuses that the API documents for a REST operation, and those that were answered. */
  readonly statuses?: { readonly documented: readonly number[]; readonly seen: readonly number[] };
}

/** Statuses of a REST operation as the reference of the API has them; a wrong path is no answer of the operation. */
function documentedStatuses({ http, path: pattern }: Operation): readonly number[] {
  const documented = referenceOf(http, pattern!);
  if (!documented) return [];
  const others = Object.entries(documented.otherStatuses).filter(([, meaning]) => meaning !== 'wrong path');
  return [documented.success.status, ...others.map(([status]) => Number(status))].sort((a, b) => a - b);
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
  readonly metricName?: string;
}

const samplesOf = async (name: string): Promise<readonly Sample[]> =>
  ((await metrics.getSingleMetric(name)?.get()) as { values: Sample[] } | undefined)?.values ?? [];

/**
 * Writes down which operations the worlds of this test file answered, with success or with which errors. The numbers are
 * those of the product's own metrics. Does nothing unless E2E_COVERAGE_DIR names a folder.
 */
export async function recordCoverage(folder = process.env.E2E_COVERAGE_DIR): Promise<void> {
  if (!folder) return;
  const answered = (await samplesOf('groupware_http_request_seconds')).filter((sample) =>
    sample.metricName?.endsWith('_count'),
  );
  const refused = await samplesOf('groupware_http_errors_total');
  const handled = await samplesOf('groupware_operations_total');
  const sum = (samples: readonly Sample[]): number => samples.reduce((total, { value }) => total + value, 0);
  const report = operations.map((operation): OperationCoverage => {
    const atEdge = ({ labels }: Sample): boolean =>
      labels.module === operation.module && labels.operation === operation.name;
    const inService = ({ labels }: Sample): boolean =>
      labels.module === operation.module && labels.action === operation.name;
    const codes = [
      ...refused.filter(atEdge).map(({ labels }) => String(labels.code)),
      ...handled.filter(inService).map(({ labels }) => String(labels.outcome)),
    ];
    const byService = sum(handled.filter((sample) => inService(sample) && sample.labels.outcome === 'ok'));
    return {
      name: nameOf(operation),
      kind: operation.kind,
      service: operation.service,
      declared: (operation.errors ?? []).map(({ entry }) => entry.code),
      // Calls inside a batch are known to the service only; what the gateway answers itself, to the gateway only.
      successes: Math.max(byService, sum(answered.filter(atEdge)) - sum(refused.filter(atEdge))),
      ...(operation.kind === 'rest'
        ? {
            statuses: {
              documented: documentedStatuses(operation),
              seen: seenStatuses(operation),
            },
          }
        : {}),
      seen: [...new Set(codes)].filter((code) => /^[A-Z_-]+-\d{4}$/.test(code)).sort(),
    };
  });
  fs.mkdirSync(folder, { recursive: true });
  const wrong = wrongAnswers();
  if (wrong.length > 0) fs.writeFileSync(path.join(folder, `${randomUUID()}.wrong`), wrong.join('\n'));
  fs.writeFileSync(path.join(folder, `${randomUUID()}.values`), JSON.stringify(listSeenValues()));
  fs.writeFileSync(path.join(folder, `${randomUUID()}.json`), JSON.stringify(report));
}
