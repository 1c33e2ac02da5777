import { All, Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import {
  errorObject,
  localeOf,
  ProbeErrors,
  probes,
  RestErrors,
  type CatalogueError,
  type HealthData,
  type Operation,
} from '@groupware/contracts';
import { freshErrorId } from '@groupware/messaging';
import type { Request, Response } from 'express';
import { BASIC_CHALLENGE } from '../http/basic-auth';
import { ClientAddresses, type ClientOrigin } from '../http/client-address';
import { Logger } from '../log/logger';
import { countCall, metrics } from '../metrics';
import { BUILD_DATE } from '../version';
import { HealthChecks, type CheckResult } from './health-checks';
import { Liveness } from './liveness';
import { ProbeSettings } from './probe-settings';

const log = Logger.for('process');
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

/** `yyyy-MM-ddTHH:mm:ss,SSS±hhmm`, the form of dates in health answers. */
function formatHealthDate(date: Date): string {
  return `${date.toISOString().slice(0, -1).replace('.', ',')}+0000`;
}

/**
 * Whether a client is on another machine. What came through a proxy is, unless a trusted one names an address of this
 * machine's own; what others say about themselves does not count.
 */
function isExternal({ headers, socket }: Request, { remoteAddress, isForwarded }: ClientOrigin): boolean {
  const hasProxy = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  if (hasProxy) return !isForwarded || !LOOPBACK.test(remoteAddress);
  return socket.remoteAddress !== socket.localAddress && !LOOPBACK.test(remoteAddress);
}

/** `/live`, `/ready`, `/health` and `/metrics` of the internal listener. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthChecks,
    private readonly liveness: Liveness,
    private readonly terminus: HealthCheckService,
    private readonly settings: ProbeSettings,
    private readonly addresses: ClientAddresses,
    @Inject('VERSION') private readonly version: string,
  ) {}

  /** The process runs, and is in no state that only a new one leaves: 503 with the names of such states. */
  @Get('live')
  live(@Res({ passthrough: true }) response: Response): { status: string; problems?: string[] } {
    const { problems } = this.liveness;
    if (problems.length === 0) return { status: 'UP' };
    response.status(503);
    return { status: 'DOWN', problems };
  }

  /**
   * The process takes calls, and what it can do nothing without answers: Terminus's report, 503 when it does not. What it
   * can do without is shown by /health alone.
   */
  @Get('ready')
  @HealthCheck()
  async ready(): Promise<HealthCheckResult> {
    const results =
      this.checks.ready && !this.checks.isAway
        ? await this.listCounted()
        : [{ name: 'process', status: 'DOWN' } as const];
    return this.terminus.check(
      results.map(({ name, status }) => () => ({ [name]: { status: status === 'UP' ? 'up' : 'down' } })),
    );
  }

  /** Every check with its state (API page "Health"). */
  @Get('health')
  health(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answerProbe(probes.getHealth, async () => {
      const { health, skip, ignore } = this.settings;
      if (!health.isOpen && !health.matches(request.headers.authorization)) return this.challenge(response);
      const results = await this.checks.listResults(skip);
      const failed = results
        .filter(({ name, status }) => status === 'DOWN' && !ignore.includes(name))
        .map(({ name }) => name);
      response.status(failed.length > 0 ? 500 : 200).json(this.report(results, failed));
      return failed.length > 0 ? ProbeErrors.down.entry.code : 'ok';
    });
  }

  /** Metrics in the text exposition format. */
  @Get('metrics')
  metrics(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answerProbe(probes.getMetrics, async () => {
      const pair = this.settings.metrics;
      if (!pair.isOpen) {
        const origin = this.addresses.originOf(request);
        if (!origin.secure && isExternal(request, origin)) return this.refuse(response, ProbeErrors.needsTls());
        if (!pair.matches(request.headers.authorization)) return this.challenge(response);
      }
      response.type(metrics.contentType).send(await metrics.metrics());
      return 'ok';
    });
  }

  /** Other methods than those above. */
  @All(['live', 'ready', 'health', 'metrics'])
  refuseMethod(@Req() { method }: Request, @Res() response: Response): void {
    this.refuse(response.set('Allow', 'GET, HEAD'), RestErrors.methodNotAllowed(method));
  }

  private report(results: CheckResult[], failed: readonly string[]): HealthData {
    return {
      status: failed.length > 0 ? 'DOWN' : 'UP',
      checks: results,
      service: {
        name: 'groupware',
        version: this.version,
        buildDate: BUILD_DATE,
        date: formatHealthDate(new Date()),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        locale: 'en_US',
        charset: 'UTF-8',
      },
      blacklist: [...this.settings.skip],
      ignorelist: [...this.settings.ignore],
      ...(failed.length > 0 ? { error: `Failed checks: ${failed.join(', ')}` } : {}),
    };
  }

  /** Counts the probe with all other operations. */
  private async answerProbe(operation: Operation, run: () => Promise<string>): Promise<void> {
    const started = performance.now();
    const code = await run();
    const durationMs = performance.now() - started;
    countCall({ operation, code, durationMs, requestId: '', principal: { kind: 'anonymous' } });
  }

  private async listCounted(): Promise<CheckResult[]> {
    const results = await this.checks.listRequired(this.settings.skip);
    return results.filter(({ name }) => !this.settings.ignore.includes(name));
  }

  private challenge(response: Response): string {
    return this.refuse(response.set('WWW-Authenticate', BASIC_CHALLENGE), ProbeErrors.unauthorized());
  }

  /** Answers the error object that all REST operations have. */
  private refuse(response: Response, error: CatalogueError): string {
    error.errorId = freshErrorId();
    log.info({ code: error.code, error_id: error.errorId }, 'a probe was refused');
    const locale = localeOf(response.req.headers['accept-language']) ?? 'en_US';
    response.status(error.entry.http!).json({ ...errorObject(error, locale), version: this.version });
    return error.code;
  }
}
