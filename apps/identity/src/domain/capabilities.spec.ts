import { resolveCapabilities, isCapabilityKey } from './capabilities';

const of = (parts: object) =>
  resolveCapabilities({ flags: [], added: [], removed: [], properties: {}, autologin: false, ...parts });

describe('capabilities', () => {
  it('come from module access', () => {
    expect(of({ flags: ['calendar', 'contacts', 'tasks'] })).toEqual(
      expect.arrayContaining(['calendar', 'contacts', 'gab', 'group_ware', 'portal', 'tasks']),
    );
    expect(of({ flags: ['calendar'] })).not.toContain('group_ware');
    expect(of({ autologin: true })).toContain('autologin');
  });

  it('lose what restrictions take away', () => {
    const restricted = of({ flags: ['contacts', 'globaladdressbookdisabled', 'deniedportal'] });
    expect(restricted).not.toContain('gab');
    expect(restricted).not.toContain('portal');
  });

  it('follow properties, then what the user gained and lost; names are lower case', () => {
    const properties = {
      'com.example.capability.Drive': 'true',
      'com.example.capability.calendar': 'false',
      other: 'true',
    };
    expect(of({ flags: ['calendar'], properties })).toContain('drive');
    expect(of({ flags: ['calendar'], properties })).not.toContain('calendar');
    expect(of({ flags: ['calendar'], properties, added: ['CALENDAR'], removed: ['drive'] })).toContain('calendar');
    expect(of({ properties, removed: ['drive'] })).not.toContain('drive');
  });

  it('are switched by keys of one form only', () => {
    expect(isCapabilityKey('com.example.capability.drive')).toBe(true);
    expect(isCapabilityKey('com.example.capability.')).toBe(false);
    expect(isCapabilityKey('com.example.capability.a b')).toBe(false);
  });
});
