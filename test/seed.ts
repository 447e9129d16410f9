import fc from 'fast-check'

// The same cases in each run, so that no run fails by chance; `RANDOM_SEED` selects others
fc.configureGlobal({ seed: Number(process.env['RANDOM_SEED'] ?? 11) })
