/**
 * Builds the package with `package.ts` if its dependencies are installed. npm runs this script, `prepare`, after every install.
 * It is JavaScript because `npm install --omit=dev` omits them, including the Node that runs TypeScript.
 */
import { existsSync } from 'node:fs'

const has = (name) => existsSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url))
if (['esbuild', 'typescript', 'node'].every(has)) await import('./package.ts')
else
  console.log(
    'Nothing was built: all that Switchboard is made with are development dependencies, and npm install brings them',
  )
