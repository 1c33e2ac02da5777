import { Injectable } from '@nestjs/common';
import { WEBAUTHN_DOMAIN, WEBAUTHN_ORIGINS, type EdgeRequest } from '@groupware/contracts';
import { Cascade } from '../configuration/cascade';

/** Origins allowed to answer challenges, and the domain credentials are bound to. */
@Injectable()
export class WebOrigin {
  constructor(private readonly cascade: Cascade) {}

  /** The domain, without port. */
  resolveDomain(edge: EdgeRequest): string {
    return this.cascade.value(WEBAUTHN_DOMAIN) || parseHost(edge).hostname;
  }

  /** Origins of pages; browsers offer plain HTTP for the local machine only. */
  listOrigins(edge: EdgeRequest): string[] {
    const configured = this.cascade
      .value(WEBAUTHN_ORIGINS)
      .split(',')
      .map((origin) => origin.trim())
      .filter((origin) => origin !== '');
    if (configured.length > 0) return configured;
    const { hostname, host } = parseHost(edge);
    return hostname === 'localhost' || hostname.endsWith('.localhost')
      ? [`https://${host}`, `http://${host}`]
      : [`https://${host}`];
  }
}

function parseHost({ host }: EdgeRequest): { hostname: string; host: string } {
  const text = `https://${host}`;
  return URL.canParse(text) ? new URL(text) : { hostname: 'invalid', host: 'invalid' };
}
