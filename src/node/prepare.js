/**
 * `npm run prepare`, which npm runs after every install: has `package.ts` make what others install, where there is what it takes.
 * `npm install --omit=dev` leaves that out, and with it the Node that reads TypeScript, so this is JavaScript.
 */
import { existsSync } from 'node:fs'

const has = (name) => existsSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url))
if (['esbuild', 'typescript', 'node'].every(has)) await import('./package.ts')
else
  console.log(
    'Nothing was built: all that Switchboard is made with are development dependencies, and npm install brings them',
  )
