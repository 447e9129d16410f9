import type { Command } from 'commander'

/** What can be written after some words. */
interface Place {
  /** The words before, without `switchboard`. */
  readonly path: readonly string[]
  readonly words: readonly { readonly word: string; readonly about: string }[]
}

/** The shells that scripts are made for. */
export const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish }

/** A shell's script, made of the tree of commands: what it completes is what there is. */
export function completionFor(shell: string, program: Command): string {
  const write = SHELLS[shell]
  if (!write) throw new Error(`No completion for '${shell}'`)
  return write(placesOf(program, []))
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const help = command.createHelp()
  const words = [
    ...help.visibleCommands(command).map((each) => ({ word: each.name(), about: each.description() })),
    ...help.visibleOptions(command).map((each) => ({ word: each.long ?? each.flags, about: each.description })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, about: '' }))),
  ]
  const below = command.commands.flatMap((each) => placesOf(each, [...path, each.name()]))
  return [{ path, words }, ...below]
}

const wordsOf = ({ words }: Place) => words.map(({ word }) => word).join(' ')

function bash(places: readonly Place[]): string {
  const cases = places.map((place) => `    '${place.path.join(' ')}') words='${wordsOf(place)}' ;;`)
  return `# switchboard completion bash > ~/.local/share/bash-completion/completions/switchboard
_switchboard() {
  local path='' word words='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$path $word" in
${below(places)}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _switchboard switchboard`
}

function zsh(places: readonly Place[]): string {
  const cases = places.map((place) => `    '${place.path.join(' ')}') reply=(${wordsOf(place)}) ;;`)
  return `#compdef switchboard
# switchboard completion zsh > "\${fpath[1]}/_switchboard"
_switchboard() {
  local path_='' word
  local -a reply
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$path_ $word" in
${below(places).replaceAll('path=', 'path_=')}
    esac
  done
  case "$path_" in
${cases.join('\n')}
  esac
  compadd -a reply
  _files
}
compdef _switchboard switchboard`
}

/** Each command leads on from the words before it. */
function below(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `      '${path.slice(0, -1).join(' ')} ${path.at(-1)}') path='${path.join(' ')}' ;;`)
    .join('\n')
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const names = words.filter(({ word }) => !word.startsWith('-')).map(({ word }) => word)
    const seen = path.map((each) => `__fish_seen_subcommand_from ${each}`)
    const none = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : []
    const when = [...seen, ...none].join('; and ')
    return words.map(({ word, about }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`
      const described = about === '' ? '' : ` -d '${about.replaceAll(/['\\]/g, '\\$&')}'`
      return `complete -c switchboard${when === '' ? '' : ` -n '${when}'`} ${what}${described}`
    })
  })
  return ['# switchboard completion fish > ~/.config/fish/completions/switchboard.fish', ...lines].join('\n')
}
