import { parseZones } from './trust-zones';

describe('trust zones', () => {
  it('are parsed from comma lists, each once', () => {
    expect(parseZones(' a, b,,a ')).toEqual(['a', 'b']);
    expect(parseZones('')).toEqual([]);
  });
});
