import { ALL_COLUMNS, parseAccountColumns, toAccountRows, toAccountView } from './account-view';
import { parseChanges, parseNewAccount } from './account-input';
import { pickEditableChanges, requireEditable } from './primary-account';

const rules = { transportPort: 25, minPop3Refresh: 10 };
const body = {
  name: 'Work',
  login: 'ann',
  password: 'hush',
  mail_url: 'imap://mail.test.invalid',
  primary_address: 'ann@test.invalid',
};

describe('new accounts', () => {
  it('have defaults for what the body leaves out', () => {
    const view = toAccountView(parseNewAccount(3, body, rules));
    expect(view).toMatchObject({
      id: 3,
      mail_url: 'imap://mail.test.invalid:143',
      mail_secure: false,
      transport_auth: 'mail',
      spam_handler: 'NoSpamHandler',
      trash: 'Trash',
      trash_fullname: 'default3/Trash',
      root_folder: 'default3',
      unified_inbox_enabled: false,
      mail_oauth: -1,
    });
    // Values that are not set are left out.
    expect(Object.keys(view)).not.toEqual(expect.arrayContaining(['transport_url']));
    expect(Object.values(view).filter((value) => value === null || value === undefined)).toEqual([]);
    expect(toAccountView(parseNewAccount(3, { ...body, mail_url: 'pop3://p.test' }, rules))).toMatchObject({
      pop3_refresh_rate: 10,
      pop3_storage: 'mailaccount',
      pop3_path: 'Work',
    });
  });

  it.each(['name', 'login', 'password', 'mail_url', 'primary_address'])('need %s', (field) => {
    expect(() => parseNewAccount(1, { ...body, [field]: undefined }, rules)).toThrow(
      expect.objectContaining({ code: 'SVL-0002', params: [field] }),
    );
    expect(() => parseNewAccount(1, { ...body, [field]: '' }, rules)).toThrow(
      expect.objectContaining({ code: field === 'name' ? 'ACC-0016' : 'SVL-0002' }),
    );
  });

  it('need neither login nor password with an OAuth account', () => {
    const account = parseNewAccount(1, { ...body, login: undefined, password: undefined, mail_oauth: 7 }, rules);
    expect(account).toMatchObject({ mail_oauth: 7 });
  });

  it.each(['a/b', 'a\\b', 'a\u0000b', ' '])('are not named %j', (name) => {
    expect(() => parseNewAccount(1, { ...body, name }, rules)).toThrow(expect.objectContaining({ code: 'ACC-0016' }));
  });
});

describe('changes', () => {
  const before = parseNewAccount(5, { ...body, transport_url: 'smtp://out.test', trash: 'Bin' }, rules);

  it('are what the body gives and nothing else', () => {
    expect(parseChanges({ id: 5, personal: 'Ann', reply_to: '' }, before, rules)).toEqual({
      personal: 'Ann',
      reply_to: null,
    });
  });

  it('store full names without the prefix of the account', () => {
    const changes = parseChanges({ sent_fullname: 'default5/INBOX/Sent Items' }, before, rules);
    expect(changes).toEqual({ sent: 'Sent Items', sent_fullname: 'INBOX/Sent Items' });
    expect(toAccountView({ ...before, ...changes }).sent_fullname).toBe('default5/INBOX/Sent Items');
    expect(toAccountView({ ...before, ...parseChanges({ trash: 'Papierkorb' }, before, rules) })).toMatchObject({
      trash: 'Papierkorb',
      trash_fullname: 'default5/Papierkorb',
    });
  });

  it('never fetch POP3 more often than allowed', () => {
    expect(parseChanges({ pop3_refresh_rate: 1 }, before, rules)).toEqual({ pop3_refresh_rate: 10 });
  });

  it('of the primary account are limited to its own attributes', () => {
    const primary = { ...before, id: 0, name: 'E-Mail' };
    const shown = toAccountView(primary, ['ann@test.invalid']);
    const check = (change: object) => {
      const changes = parseChanges(change, primary, rules);
      requireEditable(change, shown, toAccountView({ ...primary, ...changes }, ['ann@test.invalid']));
      return pickEditableChanges(changes, primary);
    };
    expect(check({ id: 0, personal: 'Ann', meta: { a: 1 }, unified_inbox_enabled: true })).toEqual({
      personal: 'Ann',
      meta: { a: 1 },
      unified_inbox_enabled: true,
    });
    expect(check({ ...shown, archive: 'Old' })).toMatchObject({ archive: 'Old' });
    expect(check({ ...shown })).not.toHaveProperty('name');
    for (const [name, value] of Object.entries({ name: 'Mine', login: 'x', mail_url: 'imap://x.test', password: 'x' }))
      expect(() => check({ [name]: value })).toThrow(expect.objectContaining({ code: 'ACC-0007', params: [name] }));
  });
});

describe('rows', () => {
  it('hold all columns but meta when none are named, and never a password', () => {
    const view = toAccountView(parseNewAccount(1, body, rules));
    expect(ALL_COLUMNS).not.toContain('1040');
    expect(ALL_COLUMNS).toHaveLength(49);
    const [row] = toAccountRows([view], parseAccountColumns(ALL_COLUMNS));
    expect(row).not.toContain('hush');
    expect(toAccountRows([view], parseAccountColumns(['1003', '1006', 'login']))).toEqual([[null, 'Work', 'ann']]);
    expect(() => parseAccountColumns(['1'])).toThrow(expect.objectContaining({ code: 'SVL-0010' }));
  });
});
