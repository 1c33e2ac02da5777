import { RequestErrors } from './edge/edge.errors';
import { LoginErrors } from './login/login.errors';
import { operations } from './registry';

const named = (wanted: string): string[] =>
  operations
    .filter(({ idempotency }) => idempotency === wanted)
    .map(({ module, name }) => `${module}.${name}`)
    .sort();

describe('writes', () => {
  it('take an idempotency key of the kit, but for these: secrets, counted attempts, effects outside the database', () => {
    expect(named('none')).toEqual([
      'appPasswords.add',
      'authentication.administrator',
      'authentication.devicePassword',
      'authentication.identify',
      'authentication.prove',
      'davclient.getDavClientConfig',
      'login.anonymous',
      'login.changeip',
      'login.formlogin',
      'login.guest',
      'login.login',
      'login.redeemToken',
      'login.tokenLogin',
      'login.tokens',
      'login/httpAuth.httpAuth',
      'mail-session.validateMailSession',
      ...['mail.all_seen', 'mail.archive', 'mail.archive_folder', 'mail.clear', 'mail.copy', 'mail.delete'],
      ...['mail.expunge', 'mail.update'],
      'multifactor/device.finishAuthentication',
      'multifactor/device.finishRegistration',
      'multifactor/device.startAuthentication',
      'multifactor/device.startRegistration',
      'passwordchange.redeem',
      'passwordchange.renew',
      'passwordchange.update',
      'request-analysis.analyzeRequest',
      'sessionmanagement.clear',
      'sessionmanagement.delete',
      'site-administration.notifySiteAvailability',
      'userfeedback-reports.sendFeedback',
    ]);
    expect(named('effect')).toEqual(['folders.delete', 'provisioning.deleteContext', 'share/management.getLink']);
  });

  it('that count attempts or read credentials are never repeated', () => {
    // Reads that are only slowed down count calls, not attempts.
    const counting = operations.filter(
      ({ repeatable, credentials, errors = [] }) =>
        credentials ||
        errors.includes(LoginErrors.tooManyAttempts) ||
        (!repeatable && errors.includes(RequestErrors.tooManyRequests)),
    );
    expect(counting.filter(({ repeatable, idempotency }) => repeatable || idempotency !== 'none')).toEqual([]);
    expect(counting).not.toEqual([]);
  });

  it('of the handlers that keep keys themselves are the POSTs of provisioning that create or begin something', () => {
    const own = operations.filter(({ idempotency }) => idempotency === 'own');
    expect(new Set(own.map(({ kind, http }) => `${kind} ${http}`))).toEqual(new Set(['rest POST']));
    expect(own.filter(({ service }) => service !== 'identity')).toEqual([]);
  });

  it('say nothing about keys where the same call may be repeated anyway', () => {
    expect(operations.filter(({ repeatable, idempotency }) => repeatable && idempotency)).toEqual([]);
  });
});
