import { RequestErrors } from './edge/edge.errors';
import { LoginErrors } from './login/login.errors';
import { operations } from './registry';

const named = (wanted: string): string[] =>
  operations
    .filter(({ idempotency }) => idempotency === wanted)
    .map(({ module, name }) => `${module}.${name}`)
    .sort();

describe('writes', () => {
  it('take an idempotency key, but for these: secrets, counted attempts, the own session', () => {
    expect(named('none')).toEqual([
      'appPasswords.add',
      'authentication.administrator',
      'authentication.devicePassword',
      'authentication.identify',
      'authentication.openApplication',
      'authentication.prove',
      'authentication.proveFactor',
      'authentication.signOnUser',
      'davclient.getDavClientConfig',
      'defer.forward',
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
      'multifactor/device.finishAuthentication',
      'multifactor/device.finishRegistration',
      'multifactor/device.startAuthentication',
      'multifactor/device.startRegistration',
      'oauth-clients.createOAuthClient',
      'oauth/accounts.create',
      'oauth/accounts.createByGet',
      'oauth/accounts.init',
      'oauth/accounts.reauthorize',
      'oauth/accounts.reauthorizeByGet',
      'oauth/provider/accessToken.exchange',
      'oauth/provider/authorization.decide',
      'oauth/provider/revoke.revoke',
      'oidc/backchannel.logout',
      'passwordchange.redeem',
      'passwordchange.renew',
      'passwordchange.update',
      'request-analysis.analyzeRequest',
      'saml/{tenant}/acs.take',
      'saml/{tenant}/sls.post',
      'sessionmanagement.clear',
      'sessionmanagement.delete',
      'share.open',
      'share/redeem/token.redeem',
      ...['share/reset/password.order', 'share/reset/password.show'],
      'site-administration.notifySiteAvailability',
      'userfeedback-reports.sendFeedback',
    ]);
    expect(named('effect')).toEqual([
      'folders.delete',
      ...['mail/compose/{id}.patch', 'mail/compose/{id}.update'],
      'provisioning.deleteContext',
      'share/management.getLink',
    ]);
  });

  it('with effects outside the database are begun once for a key that the client sends', () => {
    expect(named('claimed')).toEqual([
      'conversion.convert',
      ...['mail.all_seen', 'mail.archive', 'mail.archive_folder', 'mail.autosave', 'mail.clear'],
      ...['mail.copy', 'mail.delete', 'mail.expunge', 'mail.import', 'mail.new'],
      ...['mail.newSource', 'mail.receipt_ack', 'mail.saveAttachment', 'mail.update'],
      ...['mail/categories.move', 'mail/categories.train'],
      'mail/compose.open',
      'mail/compose/{id}.delete',
      'mail/compose/{id}/attachments.add',
      'mail/compose/{id}/attachments/original.add',
      'mail/compose/{id}/attachments/vcard.add',
      'mail/compose/{id}/attachments/{attachmentId}.delete',
      'mail/compose/{id}/attachments/{attachmentId}.replace',
      'mail/compose/{id}/save.save',
      'mail/compose/{id}/send.send',
      ...['mailfilter.delete', 'mailfilter.deletescript', 'mailfilter.new', 'mailfilter.reorder', 'mailfilter.update'],
      ...['mailfilter/v2.delete', 'mailfilter/v2.deletescript', 'mailfilter/v2.new', 'mailfilter/v2.reorder'],
      'mailfilter/v2.update',
    ]);
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
