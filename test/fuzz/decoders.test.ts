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
 * What decoders promise of whatever is sent: no error is thrown, what is refused is refused in words, the work has a bound,
 * and what is accepted can be written again.
 */
it.each([...calls, ...publications, ...resources, ...rawTexts, ...signIn].map((row) => [row.name, row] as const))(
  `%s is read or refused, ${CASES} times`,
  { timeout: 86_400_000 },
  async (_, row) => {
    const { accepted, refused } = await row.run(CASES)
    // Else it would be one kind of answer alone that is tried
    expect(accepted).toBeGreaterThan(CASES / 50)
    expect(refused).toBeGreaterThan(CASES / 50)
  },
)
