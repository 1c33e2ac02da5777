import type { Operation, Principal } from '@groupware/contracts';
import type { CallKey } from './call-key';

/** Facts about a call known before its handler runs. */
export interface CallLabels {
  readonly operation: Operation;
  readonly principal: Principal;
  readonly requestId: string;
  /** W3C trace context. */
  readonly trace?: string;
  /** Point in time (ms UTC) after which no caller waits. */
  readonly deadline: number;
  /** See {@link CallContext.onBehalf}. */
  readonly onBehalf?: string;
  /** The idempotency key, for an operation that takes one. */
  readonly key?: CallKey;
}
