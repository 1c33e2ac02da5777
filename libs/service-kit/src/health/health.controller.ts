import { createHash, timingSafeEqual } from 'node:crypto';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import type { Request, Response } from 'express';
import { ProcessSettings } from '../config/process-settings';
import { metrics } from '../metrics';
import { HealthChecks, type CheckResult } from './health-checks';

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Whether the Basic credentials of a request are the given ones. Both sides are hashed, so that length does not leak. */
function hasCredentials(request: Request, login: string, password: string): boolean {
  const [scheme, encoded] = (request.headers.authorization ?? '').split(' ');
  const given = scheme?.toLowerCase() === 'basic' ? Buffer.from(encoded ?? '', 'base64').toString() : '';
  return timingSafeEqual(hash(given), hash(`${login}:${password}`));
}

/** `yyyy-MM-ddTHH:mm:ss,SSS±hhmm`, the form of dates in health answers. */
function healthDate(date: Date): string {
  return `${date.toISOString().slice(0, -1).replace('.', ',')}+0000`;
}

/** `/live`, `/ready`, `/health` and `/metrics` of the internal listener. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthChecks,
    private readonly terminus: HealthCheckService,
    private readonly settings: ProcessSettings,
    @Inject('VERSION') private readonly version: string,
  ) {}

  /** The process runs. */
  @Get('live')
  live(): { status: string } {
    return { status: 'UP' };
  }

  /** The process takes calls and its dependencies answer: Terminus's report, 503 when they do not. */
  @Get('ready')
  @HealthCheck()
  async ready(): Promise<HealthCheckResult> {
    const results =
      this.checks.ready && !this.checks.isAway ? await this.counted() : [{ name: 'process', status: 'DOWN' } as const];
    return this.terminus.check(
      results.map(({ name, status }) => () => ({ [name]: { status: status === 'UP' ? 'up' : 'down' } })),
    );
  }

  /** Every check with its state (API page "Health"). */
  @Get('health')
  async health(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { healthLogin, healthPassword, healthSkip, healthIgnore } = this.settings;
    if (healthLogin && !hasCredentials(request, healthLogin, healthPassword.reveal())) return this.challenge(response);
    const results = await this.checks.run(healthSkip);
    const failed = results
      .filter(({ name, status }) => status === 'DOWN' && !healthIgnore.includes(name))
      .map(({ name }) => name);
    response.status(failed.length > 0 ? 500 : 200).json({
      status: failed.length > 0 ? 'DOWN' : 'UP',
      checks: results,
      service: {
        name: 'groupware',
        version: this.version,
        date: healthDate(new Date()),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        locale: 'en_US',
        charset: 'UTF-8',
      },
      blacklist: healthSkip,
      ignorelist: healthIgnore,
      ...(failed.length > 0 ? { error: `Failed checks: ${failed.join(', ')}` } : {}),
    });
  }

  /** Metrics in the text exposition format. */
  @Get('metrics')
  async metrics(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { metricsLogin, metricsPassword } = this.settings;
    if (metricsLogin) {
      const { remoteAddress, localAddress } = request.socket;
      const local = remoteAddress === localAddress || /^(::ffff:)?127\.|^::1$/.test(remoteAddress ?? '');
      if (!request.secure && !local) {
        response.status(403).end();
        return;
      }
      if (!hasCredentials(request, metricsLogin, metricsPassword.reveal())) return this.challenge(response);
    }
    response.type(metrics.contentType).send(await metrics.metrics());
  }

  private async counted(): Promise<CheckResult[]> {
    const results = await this.checks.run(this.settings.healthSkip);
    return results.filter(({ name }) => !this.settings.healthIgnore.includes(name));
  }

  private challenge(response: Response): void {
    response.status(401).set('WWW-Authenticate', 'Basic realm="groupware", charset="UTF-8"').end();
  }
}
