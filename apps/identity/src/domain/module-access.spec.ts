import { toAccessView, applyAccess, requireWithin, COMBINATIONS, DEFAULT_ACCESS, reduceAccess } from './module-access';

const code = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('module access', () => {
  it('takes a combination, then single flags; the name goes when a flag departs from it', () => {
    const pim = applyAccess({ combination: 'pim_plus' }, DEFAULT_ACCESS);
    expect(pim).toMatchObject({ combination: 'pim_plus', flags: expect.arrayContaining(['calendar', 'tasks']) });
    expect(pim.flags).not.toContain('infostore');
    expect(applyAccess({ flags: { infostore: true } }, pim)).toMatchObject({ combination: null });
    expect(applyAccess({ flags: { calendar: true } }, pim)).toEqual(pim);
  });

  it.each([
    [{ combination: 'no such' }],
    [{ combination: '__proto__' }],
    [{ flags: { nonsense: true } }],
    [{ flags: { calendar: 1 } }],
    [{ flags: [] }],
  ])('refuses %j', (input) => {
    expect(code(() => applyAccess(input as never, DEFAULT_ACCESS))).toBe('PROV-0009');
  });

  it('keeps users within the context, except for restrictions', () => {
    const context = applyAccess({ combination: 'webmail_plus' }, DEFAULT_ACCESS);
    expect(code(() => requireWithin(DEFAULT_ACCESS, context))).toBe('PROV-0008');
    const restricted = applyAccess({ flags: { deniedportal: true } }, context);
    expect(code(() => requireWithin(restricted, context))).toBe('none');
    expect(reduceAccess(DEFAULT_ACCESS, context).flags.every((flag) => context.flags.includes(flag))).toBe(true);
    expect(reduceAccess(context, context)).toBe(context);
  });

  it('knows only flags of the list in its combinations', () => {
    const flags = Object.keys(toAccessView(DEFAULT_ACCESS).flags);
    for (const combination of Object.values(COMBINATIONS))
      for (const flag of combination) expect(flags).toContain(flag);
  });
});
