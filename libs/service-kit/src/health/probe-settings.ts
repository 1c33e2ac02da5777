import {
  HEALTH_IGNORE,
  HEALTH_LOGIN,
  HEALTH_PASSWORD,
  HEALTH_SKIP,
  METRICS_LOGIN,
  METRICS_PASSWORD,
} from '@groupware/contracts';
import type { ProcessSettings } from '../config/process-settings';
import { basicCredentials, sameCredentials } from '../http/basic-auth';
import type { ServerValues } from '../configuration/server-values';

const parseNames = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Login and password that open a probe. */
export class ProbeCredentials {
  constructor(
    readonly login: string,
    readonly password: string,
  ) {}

  /** Without configured credentials the probe is open. */
  get isOpen(): boolean {
    return this.login === '' && this.password === '';
  }

  /** Whether the header has the pair. Incomplete credentials match nothing. */
  matches(authorization: string | undefined): boolean {
    const given = basicCredentials(authorization) ?? { login: '', password: '' };
    return sameCredentials(given, this) && this.login !== '' && this.password !== '';
  }
}

/** Settings of the probes: properties, which can change while the process runs, before variables. */
export class ProbeSettings {
  constructor(
    private readonly values: Pick<ServerValues, 'get'>,
    private readonly settings: ProcessSettings,
  ) {}

  get health(): ProbeCredentials {
    const { healthLogin, healthPassword } = this.settings;
    const login = this.values.get(HEALTH_LOGIN);
    const password = this.values.get(HEALTH_PASSWORD);
    return login || password
      ? new ProbeCredentials(login, password)
      : new ProbeCredentials(healthLogin, healthPassword.reveal());
  }

  get metrics(): ProbeCredentials {
    const { metricsLogin, metricsPassword } = this.settings;
    const login = this.values.get(METRICS_LOGIN);
    const password = this.values.get(METRICS_PASSWORD);
    return login || password
      ? new ProbeCredentials(login, password)
      : new ProbeCredentials(metricsLogin, metricsPassword.reveal());
  }

  /** Checks that are not run. */
  get skip(): readonly string[] {
    const listed = parseNames(this.values.get(HEALTH_SKIP));
    return listed.length > 0 ? listed : this.settings.healthSkip;
  }

  /** Checks that are not counted. */
  get ignore(): readonly string[] {
    const listed = parseNames(this.values.get(HEALTH_IGNORE));
    return listed.length > 0 ? listed : this.settings.healthIgnore;
  }
}
