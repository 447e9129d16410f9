/** `npm run fork`: the whole suite in a copy in which a tool was added, one changed and one removed. */
import { spawnSync } from 'node:child_process'
import { fork } from './fork.ts'

const made = fork()
console.log(`Added ${made.added}, changed ${made.changed}, removed ${made.removed} in ${made.folder}`)
const { status } = spawnSync('npm', ['test'], { cwd: made.folder, stdio: 'inherit' })
made.remove()
process.exitCode = status ?? 1
