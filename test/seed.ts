import fc from 'fast-check'

// The same cases in each run, so that none fails by chance; `RANDOM_SEED` tries others
fc.configureGlobal({ seed: Number(process.env['RANDOM_SEED'] ?? 11) })
