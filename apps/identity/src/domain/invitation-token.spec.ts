import { generateInvitationToken, parseInvitationToken } from './invitation-token';

describe('a token of an invitation', () => {
  it.each([1, 643_087_101, 0x7fffffff])('names its context %d', (contextId) => {
    const { token, digest } = generateInvitationToken(contextId);
    expect(parseInvitationToken(token)).toEqual({ contextId, digest });
  });

  it('is refused with a context that there cannot be, or another form', () => {
    const secret = generateInvitationToken(1).token.slice(2);
    for (const text of [
      '',
      secret,
      `0.${secret}`,
      `2147483648.${secret}`,
      `1.${secret}x`,
      `1.${secret.slice(1)}`,
      `x.${secret}`,
    ])
      expect(parseInvitationToken(text)).toBeUndefined();
  });
});
