import { PROFILE_TYPE, type OnboardingType } from '@groupware/contracts';

/** Headers of a profile that is saved. */
export const createProfileHeaders = (type: OnboardingType): Record<string, string> => ({
  'Content-Type': PROFILE_TYPE,
  'Content-Disposition': `attachment; filename="${type}.mobileconfig"`,
});
