import {
  rest,
  type Access,
  type AdminCaller,
  type BodySpec,
  type ErrorFactory,
  type HttpMethod,
  type Model,
  type ReplySpec,
} from '../../kit';

interface Options<B, R> {
  http: HttpMethod;
  path: string;
  doc: string;
  body?: BodySpec<B>;
  reply: ReplySpec<R>;
  errors?: readonly ErrorFactory[];
  deadlineMs?: number;
  idempotency?: 'own' | 'effect';
  callers: readonly AdminCaller[];
  access?: Access;
}

/** Callers of operations on what is in a context. */
export const WITHIN_CONTEXT = ['contextAdmin', 'resellerOfContext', 'master'] as const;

/** Callers of operations on a context as a whole. */
export const OVER_CONTEXT = ['resellerOfContext', 'master'] as const;

/** An operation below `/admin/v1/contexts`. `edge` brings the headers If-Match and Idempotency-Key's scope, the client address, to handlers. */
export function operationAt<P extends object, Q extends object = object, B = undefined, R = unknown>(
  params: Model<P> | undefined,
  query: Model<Q> | undefined,
  options: Options<B, R>,
) {
  return rest<P & Q, B, R>({
    edge: true,
    ...options,
    path: `/admin/v1/contexts${options.path}`,
    params,
    // Path places are merged into the query, so that handlers see one object.
    query: query as unknown as Model<P & Q> | undefined,
  });
}
