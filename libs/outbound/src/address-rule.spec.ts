import fc from 'fast-check';
import { AddressRule, CLOUD_METADATA, readRange } from './address-rule';

const rule = new AddressRule();
const allowing = (...texts: string[]) => new AddressRule(texts.map((text) => readRange(text)!));

describe('addresses that may be connected to', () => {
  it.each(['8.8.8.8', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001:81b::200e', '::ffff:8.8.8.8'])(
    'are public ones: %s',
    (address) => expect(rule.permits(address)).toBe(true),
  );

  it.each([
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1'],
    ...['169.254.169.254', '192.0.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', 'fe80::1', 'fe80::1%lo', 'fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1'],
    ...['2001:db8::1', '3fff::1', '5f00::1', '100::1', '4000::1', '2001:2::1', '2001:10::1'],
  ])('are not %s', (address) => expect(rule.permits(address)).toBe(false));

  it.each([
    ['mapped', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'],
    ['IPv4-compatible', '::127.0.0.1', '::a9fe:a9fe'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::7f00:1', '64:ff9b:1::a9fe:a9fe'],
    ['6to4', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ['Teredo', '2001:0:7f00:1::', '2001:0:808:808:0:0:80ff:fffe'],
    ['ISATAP', '2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:a9fe:a9fe'],
  ])('are not IPv4 hosts inside IPv6, %s', (_name, loopback, metadata) => {
    expect([rule.permits(loopback), rule.permits(metadata)]).toEqual([false, false]);
  });

  it('are what the operator allows', () => {
    const own = allowing('10.1.0.0/16', 'fd12::/32', '127.0.0.1');
    expect(['10.1.2.3', '::ffff:10.1.2.3', 'fd12::5', '127.0.0.1'].map((text) => own.permits(text))).toEqual(
      Array(4).fill(true),
    );
    expect(['10.2.0.1', 'fd13::5', '127.0.0.2'].map((text) => own.permits(text))).toEqual(Array(3).fill(false));
  });

  it('leave the IPv4 host behind an allowed NAT64 prefix to its own rule', () => {
    const nat64 = allowing('64:ff9b::/96');
    expect(nat64.permits('64:ff9b::808:808')).toBe(true);
    expect(nat64.permits('64:ff9b::7f00:1')).toBe(false);
  });

  it('are not what the operator denies, also when it is public or allowed', () => {
    const denying = new AddressRule([readRange('10.0.0.0/8')!], [readRange('10.9.0.0/16')!, readRange('8.8.8.8')!]);
    expect(['10.8.0.1', '10.9.0.1', '8.8.8.8', '::ffff:8.8.8.8'].map((text) => denying.permits(text))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  describe('where the operator allows everything, or private ranges,', () => {
    const wide = allowing('0.0.0.0/0', '::/0');
    const link = allowing('169.254.0.0/16', '100.64.0.0/10', '192.0.0.0/24', 'fd00::/8', 'fe80::/10');
    const embedded = (words: string): string[] => [
      `::ffff:${words}`,
      `::ffff:0:${words}`,
      `::${words}`,
      `64:ff9b::${words}`,
      `64:ff9b:1::${words}`,
      `2002:${words}::1`,
      `2001:0:${words}::`,
      `2001:0:808:808:0:0:5601:5601`,
      `2a00:1450::5efe:${words}`,
      // Prefixes of a network's own NAT64, of every length of RFC 6052.
      `2a00:1450:${words}::`,
      '2a00:1450:10a9:fea9:fe::',
      '2a00:1450:1010:a9fe:a9:fe00::',
      '2a00:1450:1010:10a9:fe:a9fe::',
      '2a00:1450:1010:1010:a9:fea9:fe00:0',
      `2a00:1450:1010:1010:1010:1010:${words}`,
    ];

    it.each([...CLOUD_METADATA, ...embedded('a9fe:a9fe')])('do not include %s', (address) =>
      expect([wide.permits(address), link.permits(address)]).toEqual([false, false]),
    );

    it('include their neighbours', () =>
      expect(
        ['169.254.169.250', '100.100.100.201', 'fd00:ec2::255', '::ffff:169.254.1.1'].map((text) => link.permits(text)),
      ).toEqual(Array(4).fill(true)));

    it('include one that is named by itself', () => {
      const own = allowing('10.0.0.0/8', '169.254.169.254', 'fd00:ec2::254/128', '64:ff9b::/96');
      const named = ['169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254'];
      expect(named.map((text) => own.permits(text))).toEqual(Array(4).fill(true));
      expect(['100.100.100.200', 'fd00:ec2::23'].map((text) => own.permits(text))).toEqual([false, false]);
    });
  });

  it('never include texts that are no addresses', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (/^[0-9.]+$|:/.test(text)) return;
        expect(rule.permits(text)).toBe(false);
      }),
    );
  });
});
