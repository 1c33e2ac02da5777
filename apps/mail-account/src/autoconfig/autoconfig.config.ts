import { Setting } from '@groupware/service-kit';
import { IsInt, Max, Min } from 'class-validator';

/** Settings of the search for servers of a mail address. */
export class AutoconfigConfig {
  @Setting({ env: 'MAIL_AUTOCONFIG_TIMEOUT_MS', doc: 'Longest time of one search, ms' })
  @IsInt()
  @Min(500)
  @Max(50_000)
  timeoutMs = 20_000;

  @Setting({ env: 'MAIL_AUTOCONFIG_FILE', doc: 'Own list of providers, JSON like the one shipped; it comes first' })
  file = '';

  @Setting({ env: 'MAIL_AUTOCONFIG_URLS', doc: 'Where domains publish their servers; places {domain} and {address}' })
  urls: string[] = [
    'https://autoconfig.{domain}/mail/config-v1.1.xml?emailaddress={address}',
    'https://{domain}/.well-known/autoconfig/mail/config-v1.1.xml',
  ];

  @Setting({
    env: 'MAIL_AUTOCONFIG_CENTRAL_URL',
    doc: 'Central list of providers with the place {domain}, which learns the domains of users; empty: none',
  })
  centralUrl = '';

  @Setting({
    env: 'MAIL_AUTOCONFIG_GUESSES',
    doc: 'Protocols and ports to try on likely hosts, the best first; starttls: marks what must be upgraded',
  })
  guesses: string[] = [
    'imaps:993',
    'imap+starttls:143',
    'pop3s:995',
    'pop3+starttls:110',
    'smtps:465',
    'smtp+starttls:587',
    'smtp+starttls:25',
    'imap:143',
    'pop3:110',
    'smtp:587',
    'smtp:25',
  ];

  @Setting({ env: 'MAIL_AUTOCONFIG_PER_MINUTE', doc: 'Most searches of one user per minute' })
  @IsInt()
  @Min(1)
  perMinute = 20;
}
