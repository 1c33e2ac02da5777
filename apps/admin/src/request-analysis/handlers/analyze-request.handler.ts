import {
  requestAnalysis,
  RequestAnalysisErrors,
  type AnalysisHeaders,
  type AnalysisResult,
  type CallOf,
  type Handler,
} from '@groupware/contracts';
import { ModuleDatabase } from '@groupware/persistence';
import { BasePathSettings, ClientAddresses, Handles } from '@groupware/service-kit';
import { Analyzers, type Owner } from '../analyzers';
import { parseRequest } from '../domain/analysed-request';

type Operation = typeof requestAnalysis.analyzeRequest;

/** Tells a proxy whom a request belongs to. */
@Handles(requestAnalysis.analyzeRequest)
export class AnalyzeRequestHandler implements Handler<Operation> {
  constructor(
    private readonly analyzers: Analyzers,
    private readonly database: ModuleDatabase,
    private readonly base: BasePathSettings,
    private readonly addresses: ClientAddresses,
  ) {}

  async handle({ body }: CallOf<Operation>): Promise<AnalysisResult> {
    const request = parseRequest(body, this.base.basePaths());
    const remoteAddress = this.addresses.addressOf(request.remoteAddress, request.headers['x-forwarded-for']);
    const owner = await this.analyzers.findOwner({ ...request, remoteAddress });
    if (!owner) throw RequestAnalysisErrors.unknown();
    const schema = await this.database.shardNameOf(owner);
    const headers = toHeaders(owner);
    return {
      marker: Buffer.from(JSON.stringify({ schema })).toString('base64'),
      ...(headers ? { headers } : {}),
      type: 'SUCCESS',
    };
  }
}

/** Headers a proxy may forward; undefined without a user. */
function toHeaders({ contextId, userId, login }: Owner): AnalysisHeaders | undefined {
  if (userId === undefined) return undefined;
  return {
    'x-svc-context-id': contextId,
    'x-svc-user-id': userId,
    ...(login === undefined ? {} : { 'x-svc-login': login }),
  };
}
