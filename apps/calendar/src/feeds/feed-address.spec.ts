import { nameFeed, parseFeedAddress } from './feed-address';

describe('addresses of calendars of the web', () => {
  it.each([
    ['https://a.example/x.ics', 'https://a.example/x.ics'],
    ['webcal://a.example/x?y#z', 'http://a.example/x?y#z'],
    [' WebCals://A.example ', 'https://a.example/'],
    ['webcal://a.example:8443/', 'http://a.example:8443/'],
  ])('%s is read at %s', (given, address) => {
    expect(parseFeedAddress(given).href).toBe(address);
  });

  it.each([
    ['', 'ICAL-PROV-4041'],
    ['a.example/x.ics', 'ICAL-PROV-4041'],
    ['http://a.example/\udc00', 'ICAL-PROV-4041'],
    ['https://ann:secret@a.example/', 'ICAL-PROV-4041'],
    ['webcal://ann@a.example/', 'ICAL-PROV-4041'],
    ['webcal:', 'ICAL-PROV-4041'],
    ['ftp://a.example/', 'ICAL-PROV-4042'],
    ['javascript:alert(1)', 'ICAL-PROV-4042'],
    ['http://localhost/x', 'ICAL-PROV-4042'],
    ['webcal://LOCALHOST.:80/', 'ICAL-PROV-4042'],
    ['https://x.localhost/', 'ICAL-PROV-4042'],
  ])('%j is refused: %s', (given, code) => {
    expect(() => parseFeedAddress(given)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['https://a.example/of/Holidays%20here.ICS?key=1', 'Holidays here'],
    ['https://a.example/basic/', 'basic'],
    ['https://a.example/%ff.ics', '%ff'],
    ['https://a.example/.ics', 'a.example'],
    ['https://a.example', 'a.example'],
  ])('%s is named %s', (address, name) => {
    expect(nameFeed(new URL(address))).toBe(name);
  });
});
