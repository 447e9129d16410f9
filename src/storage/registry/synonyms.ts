/** Words that say nothing of what is looked for. A question of nothing else is asked as it stands. */
const STOP_WORDS = `
a about all also am an and another any anybody anyone anything are as at be been being but by can could did do does doing
for from had has have having her hers him his how i if in into is it its itself just let me mine my no not now of off on
one onto or other our ours out over please right shall she should so some somebody someone something somewhere such than that the
their them then there these they thing things this those through to too up upon us use used using via want was we were what
when where whether which while who whom whose why will with without would you your yours tool tools`

/**
 * What stands for the same in questions: tools are named in one way and asked for in another. Each line is a set, whose words
 * stand for each other; words of several lines stand for those of each. Words behind a colon stand for those before it, and
 * not the other way round.
 */
const SETS = `
create add make new insert register build generate compose write
create add: set open start establish prepare
get list search show find look read retrieve fetch view see check query lookup browse display describe
get list search: give tell know watch inspect discover
search list: browse explore
update edit change modify adjust rename set fix correct patch
delete remove erase drop clear
cancel stop abort end terminate
cancel delete remove: revoke unsubscribe skip
send post publish share submit deliver
reply answer respond response
complete finish close resolve solve mark
complete finish solve: done
status state
status state: finished done ready progress
run execute start launch trigger play
upload import attach
download export save
move transition change
invite add
schedule book plan reserve arrange
grow extend increase enlarge resize expand
issue ticket bug defect
song track music
email mail message inbox
message text chat conversation
sms: text
document doc page
file document
picture image photo png jpg
presentation deck slide
spreadsheet sheet worksheet workbook
"pull request": pr
repository repo
event appointment meeting
meeting call
person people member user
user people member person directory: colleague coworker teammate staff employee
company organization organisation account business
customer client
vendor supplier
invoice bill
web internet online
page website site url webpage
task todo
price cost
folder directory
database db
job position vacancy
tweet twitter
scrape crawl
direction route map navigate
metric performance statistic analytic report
time timestamp clock date
sum add plus
subtract minus difference
divide division quotient
multiply product times
transcript recording
note comment
access permission
slot availability available free
setting configuration config detail option
current latest recent
value price
label tag
role: job title position
ceil ceiling floor: round
"search engine": web internet online google
history historical past
meal food
meal food: lunch dinner breakfast eat
payment pay
order purchase buy
attach connect link
error failure fail
log error failure: diagnose
log: fail error failure
member participant attendee guest
member: belong
upcoming next
upcoming next: coming
verify validate check confirm
decline reject refuse
accept approve
respond: accept decline rsvp
candidate applicant
team group
channel room
script code program
query sql
schema column field structure
count total
count: many number
subscribe subscription subscriber newsletter
currency exchange
`

/** Words that are asked for as verbs only where a question begins with them: elsewhere they are things. */
const VERBS_FIRST: Readonly<Record<string, string>> = {
  file: 'create add',
  open: 'create add get',
  raise: 'create add',
  log: 'create add',
  draw: 'create',
  draft: 'create',
}

export const isStopWord: (word: string) => boolean = (
  (words) => (word: string) =>
    words.has(word)
)(new Set(STOP_WORDS.trim().split(/\s+/)))

const OTHERS = readSets(SETS)

function readSets(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const others = new Map<string, Set<string>>()
  for (const line of text.trim().split('\n')) {
    const [before = '', behind] = line.split(':')
    const targets = before.match(/"[^"]+"|\w+/g) ?? []
    for (const word of (behind ?? before).match(/\w+/g) ?? []) {
      const known = others.get(word) ?? new Set()
      for (const each of targets) if (each !== word) known.add(each.replaceAll('"', ''))
      others.set(word, known)
    }
  }
  return others
}

/** What else a word of a question may be called, in any of its forms. `isFirst`: it is the first that says something. */
export function synonymsOf(word: string, isFirst: boolean): readonly string[] {
  const base = basesOf(word).find((each) => OTHERS.has(each) || (isFirst && Object.hasOwn(VERBS_FIRST, each)))
  if (base === undefined) return []
  const verb = isFirst && Object.hasOwn(VERBS_FIRST, base) ? VERBS_FIRST[base] : undefined
  return [...(OTHERS.get(base) ?? []), ...(verb?.split(' ') ?? [])]
}

/** What a word may be a form of, itself first: the index knows stems, and this table words. */
function basesOf(word: string): readonly string[] {
  const bases = [word]
  const ending = /(?:ies|ied|es|s|ing|ed)$/.exec(word)?.[0]
  if (ending === undefined || word.length - ending.length < 2) return bases
  const stem = word.slice(0, -ending.length)
  if (ending === 'ies' || ending === 'ied') bases.push(`${stem}y`)
  if (ending === 'es') bases.push(`${stem}e`)
  bases.push(stem)
  if (ending === 'ing' || ending === 'ed') bases.push(`${stem}e`, stem.replace(/(.)\1$/, '$1'))
  return bases
}
