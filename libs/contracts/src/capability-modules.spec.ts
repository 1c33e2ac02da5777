import { isCapabilityServed } from './capability-modules';

describe('capabilities that the product serves', () => {
  it('follow from the modules that are there', () => {
    const calls = new Set(['calendar all', 'contacts all', 'contacts birthdays']);
    expect(isCapabilityServed('contacts', calls)).toBe(true);
    expect(isCapabilityServed('calendar_birthdays', calls)).toBe(true);
    expect(isCapabilityServed('tasks', calls)).toBe(false);
    expect(isCapabilityServed('group_ware', calls)).toBe(false);
    expect(isCapabilityServed('group_ware', new Set([...calls, 'tasks all']))).toBe(true);
  });

  it('include those that need no module', () => {
    for (const id of ['calendar', 'portal', 'edit_password', 'of an operator', 'constructor'])
      expect(isCapabilityServed(id, new Set())).toBe(true);
  });

  it('are those of the contracts', () => {
    expect(isCapabilityServed('caldav')).toBe(false);
    expect(isCapabilityServed('freebusy')).toBe(true);
  });
});
