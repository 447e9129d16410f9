export const STOP_WORDS = `
a able about above across actually after again against all almost along already also although am among amongst an and another
any anybody anyhow anyone anything anyway are aren around as at back basically be because been before behind being between bit
both bring brings brought but by called can cannot certainly come comes could currently dear definitely despite did do does
doing don down due during each either else enough especially even ever every everybody everyone everything exactly except feel
few for from gets getting go goes going gone gonna got gotten had has have having hello hence her hers herself hey hi him
himself his hope how however i if in instead into is isn it its itself just keep keeps kept kind kindly later least less let
like liked likes little lot lots many maybe me might mine more most much must my myself named nearly need needed needs neither
never no nor not now of off often ok okay on once one only onto or other others ought our ours ourselves out over own part
particularly per perhaps please possibly pretty probably put puts quick quickly quite rather really right sake same seem seems
several shall she should simply since so some somebody someone something somewhere soon sooner sort still stuff such sure take
taken takes than thank thanks that the their theirs them themselves then there therefore these they thing things think this
those though thought through thus titled to too took tool tools toward towards tried try trying twice under unless until up upon
us use used using very via wanna want wanted wants was wasn way ways we well were what when whenever where wherever whether
which while who whom whose why will wish with within without would yet you your yours yourself
`

/**
 * Words of an entry, which a semicolon ends, stand for each other. Behind `=` they stand for those before it alone;
 * behind `:` too, for words that do not stand for each other. Quotes make one of several words.
 */
export const STAND_INS = `
create add make new insert register build generate compose write = set open start establish prepare produce found;
get list search show find look read retrieve fetch view see check query lookup browse display describe = give tell know watch inspect discover pull catch;
search list find: browse explore hunt;
update edit change modify adjust rename set fix correct patch = replace amend revise rewrite tweak alter fill bump push typo;
delete remove erase drop clear = wipe purge discard trash "take down" "get rid" "take off" "take it off" "take out" "take it out" "throw away" "clean up";
cancel stop abort end terminate = kill halt quit "call off" "take back";
send post publish share submit deliver = tell notify dispatch announce;
complete finish close resolve solve mark = done tick "tick off" "check off" "cross off" "wrap up";
run execute start launch trigger play perform = kick;

cancel delete remove: revoke unsubscribe skip undo "opt out"; cancel: "don't send" "do not send" "never mind";
disable deactivate: "turn off" "switch off"; enable activate: "turn on" "switch on";
pause suspend: "hold off" "put on hold" freeze; resume continue: "carry on" "start again";
start launch: "spin up" "fire up"; stop terminate: "shut down" "turn off" "switch off" "tear down";
retry rerun: "try again" redo; restore recover: "bring back"; revert rollback: "roll back" "go back";
upload import attach = bring; download export save = dump; import: "bring in" "bring over"; move transition change;
move transition change transfer: shift drag; copy duplicate clone; merge combine join: unite; attach connect link;
convert transform: turn change; grow extend increase enlarge resize expand = "run out" more;
verify validate check confirm; decline reject refuse = "turn down"; decline respond: "say no";
archive reject: "turn down" dismiss; accept approve; accept approve confirm: "sign off";
respond reply: accept decline rsvp; enrich: details; translate translation;
summarize summary: overview recap digest gist; scrape crawl = extract grab;
diagnose analyze: "look into" investigate debug troubleshoot; monitor alert: "keep an eye"; sync: "up to date";
status state = finished done ready progress; history historical past;
history log activity: "what happened" "who did" "who changed"; version revision: previous earlier;
upcoming next = coming; upcoming: today tomorrow tonight; current latest recent = now newest;
setting configuration config detail option; label tag; owner: "who owns" belong;
template: "based on" brand branding layout; checklist: steps; popular: everybody trending favourite favorite;
size quota usage: "how big" "how large" "how full"; usage: burn consumption consume spent;
location status track: "where is"; snooze: "remind me later"; undo restore: undelete; rotate: renew;
duplicate: repeat twice same; batch bulk multiple: "in one go" "at once"; sort order: rank;
filter: narrow exclude except; trend: trending viral; random: any; explain: mean meaning;
detail: specs specifications info information about; overview: glance; total amount: sum altogether;
attachment file: attached enclosed; comment: remark feedback;

sum add plus; subtract minus difference; multiply product times; divide division quotient; divide division: split;
mod modulo remainder: "left over"; ceil ceiling floor: round "whole number"; calculate compute: "work out";
count total; count: number "how many"; compare difference: versus; balance remaining: "left over" "how much left";
chart graph plot: bar pie diagram draw visualize; average mean: typical; maximum highest: biggest largest most;
minimum lowest: smallest least; unit convert: kilogram pound inch mile;

user people person member; user people member person directory: colleague coworker teammate staff employee worker;
directory profile: department whereabouts;
whoami profile: "who am i" "am i logged" "logged in as" "current user" "my account" "which account" "hooked up";
username: "what name"; manager: boss supervisor lead "report to" "reports to";
subordinate "direct report": "works under" "work under" "who reports" underneath; person title: vp ceo cto engineer;
team group; member participant attendee guest; member: belong; participant participation attendee: attended came;
invite add = bring onboard; assign: give hand delegate; assign transfer: "hand over" "hand off";
assignee assigned: responsible; access permission = allow rights;
permission member access: "who can see" "who can edit" "who has access" "get into" allowed;
grant permission invite share: "give access" "let in"; share permission: access;
revoke permission: "take away" "cut off"; remove member collaborator: kick boot "throw out";
rule policy permission: allowed "am i allowed"; subreddit reddit: r; register signup: "sign up" enroll;
password: protected; password reset: forgot; presence availability: online away;
absence leave: vacation holiday sick pto "time off" "day off"; onboard onboarding employee: "new hire" joiner starter;
employee person: headcount; role permission: admin rights; login session: "sign in" "log in"; user: login; mfa: 2fa;
sso: "single sign on"; access revoke: offboard; approver approval: "who approves"; visitor guest attendee: outsider;

email mail message inbox = mailed; message text chat conversation = dm wrote; message send: ping dm "reach out";
list messages: "catch up on"; unread: "catch up on"; draft: unsent unfinished;
scheduled schedule: queued later "go out" "gone out"; delivery status: arrive arrived delivered received;
reply answer respond response = "write back" "get back"; forward: "pass on" "pass along" relay; recipient: to;
sms: text phone; phone: "whose number" number; channel room; conversation: room; comment note: remark reply;
like reaction: upvote "thumbs up"; notify notification: ping; notification: alert;
subscribe notification: "let me know"; reminder: nudge "follow up"; newsletter campaign;
campaign email newsletter: marketing mailing; subscribe subscription subscriber newsletter; subscriber list audience;
email address: "e-mail"; spam: junk unwanted; recipient cc: "copy in" "loop in";
thread conversation: exchange "back and forth"; label folder: category; "direct message": dm private;
voice call: phone ring dial; reaction emoji: smiley; channel member: "who is in"; campaign sequence: outreach drip;
unsubscribe: "stop receiving"; bounce: undelivered; open click: opened clicked;

event appointment meeting = invite invitation; calendar event meeting: agenda diary; meeting call;
schedule book plan reserve arrange = "set up"; schedule book calendar: appointment;
reschedule: "put off" "push back" "move back" "bring forward"; postpone reschedule update: delay later move;
slot availability available free = open; time timestamp clock date = when; deadline due: "by when";
duration: "how long"; transcript recording = "word for word"; transcript: said minutes recorded;
participant attendee: "who was there" "who came" "who joined";
"action item" task: "next step" "next steps" takeaway "to dos"; highlight insight: takeaway "key points";
question ask: "what did" "what was"; recurring: every weekly daily monthly; event: party webinar gathering;
availability freebusy: busy "is free"; conflict: overlap clash;

file document = pdf; word document: docx; excel worksheet: xlsx xls csv; powerpoint presentation: pptx;
document doc page = file paper; document page note: written; folder directory; file storage drive: cloud;
presentation deck slide = powerpoint; spreadsheet sheet worksheet workbook = excel table;
worksheet range spreadsheet: cell row; picture image photo png jpg = screenshot; text content: paragraph sentence;
page website site url webpage; link url; domain: "web address" website; note memo; note comment;
append insert end: bottom; wiki page article: knowledge; search knowledge: knowledge internal internally;
signature sign envelope: contract agreement; dashboard: overview; trash: bin recycle; version: copy;
form response: answer filled; formula: calculation; diagram: flowchart sketch; board: whiteboard canvas sticky;
image export: render; slide note: speaker; table database: sheet; code page: block;

issue ticket bug defect = problem case; ticket issue conversation: request case helpdesk support; task todo = "to do";
task: assignment chore work; project board; goal: objective okr; vote poll: survey; backlog sprint: iteration;
milestone: "release date"; epic: initiative; blocker dependency: blocked stuck; priority: urgent important asap;
subtask: breakdown; assign: owner; transition status: stage column;

repository repo = codebase; "pull request": pr prs; commit change; review approval: approve;
script code program = snippet function; deployment deploy build release: ship;
deploy release deployment: "roll out" "go live" "push live"; publish: "go live" "make public";
pipeline workflow build: ci; workflow automation: zap; vulnerability: cve; log record event track;
log error failure: diagnose; log: fail error failure why; error failure fail = broken crash wrong;
incident: outage alert alarm broken; oncall: rota shift duty; acknowledge: "on it";
metric performance statistic analytic report = stats usage numbers; performance metric: well;
trace span: request latency slow; server machine instance vm; volume: disk storage space; certificate: ssl tls https;
component: ui widget parts; feature flag: toggle; webhook: callback; variable environment: env; database db;
query sql; record document row: entry; schema column field structure; structure: layout "laid out";
branch merge: "pull request"; reviewer review: "look over"; merge: land squash; star stargazer: starred favourite;
commit history: "who changed"; package dependency: library module; secret credential: token key; alert: warn warning;
outage incident: down; health status: up alive running; log: console output; experiment variant: ab; flag: switch;
token usage: tokens; agent run: bot; volume storage: full space; cache: stale; build deployment: release;
container: docker; cluster: kubernetes; row record: entries entry; count: tally;

company organization organisation account business = firm employer;
enrich enrichment organization: headcount funding industry startup; customer client = buyer;
contact customer user person: prospect lead; contact: crm; vendor supplier; deal opportunity: sale;
deal: won lost sold funnel; candidate applicant; candidate: application;
candidate application job: hire recruit hiring "work for us"; job position vacancy;
job position vacancy opening: role career "out of work" "looking for work"; role: job title position; lead: prospect;
account customer: churn; pipeline stage: "how far along"; segment list: audience cohort; satisfaction: happy feedback;
interview: screening; application candidate: applied; job: opening hiring; article: faq; activity note: logged;
meeting booking: demo;

invoice bill; price cost = "how much" expensive cheap inexpensive fee charge rate; value price = worth; payment pay;
payment pay charge: paid money; transaction payment; refund: "money back"; receipt: "proof of purchase";
expense: spend spent reimburse; budget: spending; payout transfer: withdraw; subscription plan: membership tier;
coupon discount: voucher "promo code"; estimate quote proposal: offer; revenue sale: income earn earned turnover;
tax: vat gst; payroll salary: wage; journal account ledger: bookkeeping books; currency exchange;
stock: "share price" "one share" ticker equity; inventory: stock stocked; order purchase buy;
product item: goods buy shop;
product search: cheapest "where can i get" "where can i buy" "best deal" "compare prices";
shipment tracking: parcel package; invoice: owe owed unpaid; "payment method" card: "credit card"; payout: cash;
exchange rate: convert; inventory quantity: "sold out"; "purchase order": reorder restock; statement balance: bank;
asset: equipment; vendor: supplier; discount promotion: sale; quote price: "stock price";

web internet online; "search engine": web internet online google bing yandex;
news: headline headlines article story papers newspaper; post: article; tweet twitter; meme: caption funny joke;
song track music = tune listen listening; playing: "what song" "on now";
playback position: skip ahead seek rewind jump "fast forward"; playback playing: song tune music listen listening;
video: clip film movie; flight: plane fly airline "plane ticket";
hotel: room rooms stay accommodation lodging overnight "to sleep" "to stay";
direction route map navigate = drive driving way walk;
direction route: "get to" "get from" "way to" "drive to" "drive from" transport; distance: "how far";
address place location: where; place restaurant: cafe "eat out"; trip: travel holiday vacation journey;
train transit: rail bus metro; weather forecast: rain umbrella sunny snow;
meal food = lunch dinner breakfast eat eating dish diet allergy vegetarian; review rating: stars; profile: bio about;
follower: fans; community subreddit: forum rules; thread tweet: tweets; nearby place: "near me" around;
car rental: "rent a car"; coordinate: latitude longitude gps; travel trip: itinerary; airport: code; restaurant: eat;
ticket event: concert gig
`
