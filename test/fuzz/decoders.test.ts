import { expect, it } from 'vitest'
import { FUZZED_CASES } from '../extent.ts'
import { calls } from './calls.ts'
import { publications } from './publications.ts'
import { rawTexts } from './raw-texts.ts'
import { resources } from './resources.ts'
import { signIn } from './sign-in.ts'

/** Cases of each row; `FUZZ=10000` takes some minutes. */
const CASES = Number(process.env['FUZZ'] ?? FUZZED_CASES)

/**
 * Decoders promise for any input: they throw no error, explain what they refuse, limit their work, and accept only values
 * that can be written again.
 */
it.each([...calls, ...publications, ...resources, ...rawTexts, ...signIn].map((row) => [row.name, row] as const))(
  `%s is read or refused, ${CASES} times`,
  { timeout: 86_400_000 },
  async (_, row) => {
    const { accepted, refused } = await row.run(CASES)
    // Otherwise only one kind of response would be tested
    expect(accepted).toBeGreaterThan(CASES / 50)
    expect(refused).toBeGreaterThan(CASES / 50)
  },
)
