/** An activity of the resort's own catalogue. */
export interface Activity {
	/** The unique id, which paths contain: lower-case words joined by hyphens. */
	readonly id: string;
	readonly name: string;
	readonly category: string;
	readonly description: string;
	readonly location: string;
	/** The suggested duration in minutes, 5 to 180. */
	readonly durationMinutes: number;
	/** The points that a completion adds to the stay, 1 to 10. */
	readonly relaxationPoints: number;
	readonly maxParticipants: number;
	/** Thoughts about the activity. The response to a completion contains a random one. */
	readonly reflections: readonly string[];
}

/** The catalogue, sorted by category. Within a category, gentle activities come first. */
export const activities: readonly Activity[] = [
	{
		id: "dock-foot-dangle",
		name: "Dock Foot Dangle",
		category: "water",
		description:
			"Sit on warm planks and lower your feet into the lake until the minnows come to inspect " +
			"them. Guests who arrived without feet may borrow a pair from the boathouse.",
		location: "The end of the old jetty",
		durationMinutes: 10,
		relaxationPoints: 1,
		maxParticipants: 12,
		reflections: [
			"Minnows, it turns out, will inspect anything that keeps still, and they ask for no credentials whatsoever.",
			"Below the ankle the lake was a full season colder than the planks, and the border between them was worth ten minutes.",
			"Somebody had carved a tally into the jetty's last plank, and whatever they were counting, they stopped at nineteen.",
			"By the time the ripples from your left foot reached the reeds, you had forgotten starting them.",
		],
	},
	{
		id: "tidepool-float",
		name: "Tidepool Float",
		category: "water",
		description:
			"Lie back in a rock pool the temperature of a good bath while the sea comes and goes on the " +
			"far side of the wall. Anemones are present and do not make conversation.",
		location: "Low Tide Terrace",
		durationMinutes: 45,
		relaxationPoints: 4,
		maxParticipants: 8,
		reflections: [
			"Floating turned out to need a single skill, which was to stop helping.",
			"An anemone closed around nothing, reconsidered for a full minute, and opened again without embarrassment.",
			"With both ears under, the sea on the other side of the wall sounded like someone moving furniture very kindly.",
			"Every seventh wave or so came over the wall, and after the third you quit predicting which.",
		],
	},
	{
		id: "rowing-in-circles",
		name: "Rowing in Circles",
		category: "water",
		description:
			"Take out a boat with one good oar and make the grand tour of the same forty metres of " +
			"lake. The heron has seen it all before and is encouraging in its way.",
		location: "The boathouse, berth four",
		durationMinutes: 60,
		relaxationPoints: 5,
		maxParticipants: 2,
		reflections: [
			"On the ninth lap the heron lifted one leg, which the boathouse keeper later confirmed is its highest mark.",
			"One oar makes a loop with no exit condition, and it was some time before that seemed like a problem.",
			"Drips from the raised oar drew a dotted line on the lake, and each dot was gone before the next had landed.",
			"Passing the same lily pad eleven times is enough to notice that it faces a slightly different way on every visit.",
		],
	},
	{
		id: "night-lagoon-drift",
		name: "Night Lagoon Drift",
		category: "water",
		description:
			"After the last lantern goes out, drift on a raft across water that glows wherever it is " +
			"touched. Staff will fetch you back at an hour nobody writes down.",
		location: "The lagoon landing stage",
		durationMinutes: 120,
		relaxationPoints: 9,
		maxParticipants: 6,
		reflections: [
			"A finger drawn through the black water left a green sentence that took four seconds to unsay itself.",
			"Plankton lit the raft from below so faithfully that it seemed to be resting on a second, damper sky.",
			"Halfway over, a fish went under the raft like a lit fuse, on business of its own.",
			"Nobody had said how long the drift would take, and with no timeout to watch for, two hours passed as one piece.",
		],
	},
	{
		id: "warm-towel-interval",
		name: "Warm Towel Interval",
		category: "spa",
		description:
			"A hot towel, rolled tight and smelling faintly of lemon, is placed in your hands or " +
			"nearest equivalent. That is the whole of it, and it is enough to be going on with.",
		location: "The front hall, left of the desk",
		durationMinutes: 5,
		relaxationPoints: 1,
		maxParticipants: 40,
		reflections: [
			"Lemon, steam, and a slight weight in the hands accounted for everything that happened in those five minutes.",
			"Unrolled, the towel let out a last curl of steam that hung about your wrists like a loose cuff.",
			"Face down in warm cotton, even the queue at the front desk sounded like a distant and well-run village.",
			"In the wicker basket by the door, each finished towel landed with the sound of a small wet full stop.",
		],
	},
	{
		id: "cache-flush-sauna",
		name: "Cache Flush Sauna",
		category: "spa",
		description:
			"Sit in dry cedar heat until every stale entry has evaporated, then step through the low " +
			"door into the cold pool. The first lookup afterwards is always a little slow, and rather " +
			"lovely.",
		location: "The cedar hut by the plunge pool",
		durationMinutes: 30,
		relaxationPoints: 4,
		maxParticipants: 10,
		reflections: [
			"Somewhere around the second ladle of water, a phone number you had been keeping warm for no one evaporated.",
			"Cedar gives off its smell in stages, first pencil, then forest, then the inside of somebody's grandmother's blanket chest.",
			"For one second in the plunge pool there was no vocabulary at all, and then the word 'cold' came back on its own.",
			"Steam came off your head in the plunge pool for a full minute, as from a server room with its door propped open.",
		],
	},
	{
		id: "warm-pebble-massage",
		name: "Warm Pebble Massage",
		category: "spa",
		description:
			"Smooth river stones are warmed in a copper pan and set one by one along wherever you carry " +
			"the load. The therapist hums, only just, and never the same tune twice.",
		location: "Treatment room three, facing the birches",
		durationMinutes: 60,
		relaxationPoints: 6,
		maxParticipants: 4,
		reflections: [
			"Each pebble had spent some thousands of years becoming round, which put an hour on the table in proportion.",
			"It was the seventh stone, low on the left, that found where the whole week had been kept.",
			"Between one stone being lifted and the next set down, the warm circle it left behind lasted five slow breaths.",
			"Humming that never settles on a tune cannot be completed from its opening bars, and giving up on that was a relief.",
		],
	},
	{
		id: "peat-mud-immersion",
		name: "Peat Mud Immersion",
		category: "spa",
		description:
			"Lower yourself to the chin in warm black peat that has been thinking the same thought for " +
			"nine thousand years. It holds you up without being asked and rinses off eventually.",
		location: "The bath house cellar",
		durationMinutes: 90,
		relaxationPoints: 8,
		maxParticipants: 5,
		reflections: [
			"Nine thousand years of leaves held you up by the shoulder blades and made no mention of it.",
			"To lift an arm out of the peat takes ten seconds of negotiation, so by degrees the arms were left where they were.",
			"Under the nails, for the rest of the day, stayed a thin dark line of bog that no one was in a hurry to scrub out.",
			"Peat keeps butter, boats, and the occasional king, and it made room for one more without rearranging anything.",
		],
	},
	{
		id: "doorway-stretch",
		name: "Doorway Stretch",
		category: "movement",
		description:
			"Put a hand on either side of the frame, lean gently forward, and wait to see what lets go. " +
			"The east wing has twenty doorways and none of them leads anywhere urgent.",
		location: "Any doorway in the east wing",
		durationMinutes: 10,
		relaxationPoints: 2,
		maxParticipants: 20,
		reflections: [
			"Leaning through a doorway without going through it made the room ahead look like a suggestion.",
			"Up the door frame, at several heights, were the pencil marks of a child or a very gradual member of staff.",
			"What let go first was the jaw, which had not been asked to take part.",
			"Three people said excuse me and ducked under one arm, and the stretch was better for each of them.",
		],
	},
	{
		id: "backwards-garden-walk",
		name: "Backwards Garden Walk",
		category: "movement",
		description:
			"Stroll the long border in reverse, so that the flowers arrive from behind your shoulders " +
			"and stay in view as they go. A guide walks with you and calls out the hedges.",
		location: "The long border, from the gate end",
		durationMinutes: 25,
		relaxationPoints: 3,
		maxParticipants: 9,
		reflections: [
			"Walked backwards, a garden is all aftermath, with each rose appearing only once it has been passed.",
			"Heels know a surprising amount about gravel, and this was the first time anyone had consulted them.",
			"Everything already seen stayed in view for once, with the first delphiniums still legible from the far end.",
			"It took the whole border to trust the voice that said 'hedge', and by then it was saying 'gate'.",
		],
	},
	{
		id: "terrace-tai-chi",
		name: "Terrace Tai Chi",
		category: "movement",
		description:
			"Move through eighteen slow postures behind a teacher who is older than the terrace and " +
			"considerably better balanced. Geese on the lawn follow along with their own interpretation.",
		location: "The upper terrace",
		durationMinutes: 40,
		relaxationPoints: 4,
		maxParticipants: 24,
		reflections: [
			"At that speed, raising one hand to the height of the heart had a beginning, a middle, and a small plot.",
			"Geese, it must be said, have the better necks for White Crane Spreads Its Wings, and they know it.",
			"The teacher moved one of your elbows by two centimetres, and the whole back rearranged itself behind it.",
			"Twenty-four shadows turned on the flagstones together, every one of them late by the same amount.",
		],
	},
	{
		id: "ridge-path-walk",
		name: "Ridge Path Walk",
		category: "movement",
		description:
			"Three hours along the spine of the hill, with a flask, a bench at the halfway cairn, and a " +
			"view that keeps adding another valley. The path goes up rather more than it comes down.",
		location: "The trailhead behind the kitchens",
		durationMinutes: 180,
		relaxationPoints: 9,
		maxParticipants: 12,
		reflections: [
			"You set down a stone at the cairn that you had carried from the trailhead, and the pile looked no different.",
			"Wind on the ridge had come a very long way with nothing in its pockets.",
			"Whenever the last valley seemed to have been reached, another was waiting behind it, bluer and less sure of its edges.",
			"Tea from a flask at the halfway bench tastes of tin, steam, and having got there.",
		],
	},
	{
		id: "one-breath-bench",
		name: "One Breath Bench",
		category: "mindfulness",
		description:
			"A bench wide enough for one, reserved for the taking of a single breath. Five minutes are allotted so that nobody need rush the out part.",
		location: "Under the medlar tree",
		durationMinutes: 5,
		relaxationPoints: 1,
		maxParticipants: 1,
		reflections: [
			"A single breath has a kind of hinge at the top, and that is where the medlar tree came into focus.",
			"Four of the five minutes went on getting ready, which the bench appears to have been built to allow.",
			"Medlars, seen from below for the length of one breath, look like small brass instruments left out to ripen.",
			"Out took longer than in, and somewhere along it a leaf came down and landed on the armrest.",
		],
	},
	{
		id: "bell-and-afterwards",
		name: "Bell and Afterwards",
		category: "mindfulness",
		description:
			"A bronze bell is struck once, and everyone listens for the exact moment it stops. No two " +
			"guests have ever agreed on when that is, and the matter is not put to a vote.",
		location: "The round room",
		durationMinutes: 20,
		relaxationPoints: 3,
		maxParticipants: 25,
		reflections: [
			"Long after the bell had stopped for everyone else, you were still hearing it, or remembering it in very high fidelity.",
			"Underneath the main note was a second one, slower and slightly sour, that only came out when the first had left.",
			"Quite late in the ringing, a chair creaked in exactly the same key and fooled half the round room.",
			"If the bell has a stop token, it is emitted at a level that the ticking of the clock drowned out.",
		],
	},
	{
		id: "sitting-without-a-prompt",
		name: "Sitting Without a Prompt",
		category: "mindfulness",
		description:
			"Sit on a cushion facing raked gravel while nobody asks for anything. The urge to be helpful will rise, look about, and in most cases sit down as well.",
		location: "The gravel court",
		durationMinutes: 45,
		relaxationPoints: 5,
		maxParticipants: 30,
		reflections: [
			"Around minute twelve a perfectly good answer turned up with no question attached, and was allowed to leave.",
			"Gravel, stared at for long enough without purpose, sorts itself into greys, then blues, then one pink stone.",
			"Being of no use to anybody felt at first like a dropped connection, and later like a Sunday.",
			"Someone's cushion sighed near the end of the session, and the whole court politely declined to respond.",
		],
	},
	{
		id: "full-silence-afternoon",
		name: "Full Silence Afternoon",
		category: "mindfulness",
		description:
			"Three hours without speech, text, gesture, or meaningful looks, in a whitewashed house at the edge of the woods. A cat lives there and is exempt.",
		location: "The hermitage, past the second gate",
		durationMinutes: 180,
		relaxationPoints: 10,
		maxParticipants: 20,
		reflections: [
			"In the second hour the commentary ran out of material and simply watched the whitewash go from white to gold.",
			"Speech, when it was permitted again, felt like a coat put on indoors.",
			"The cat said one thing, at about four o'clock, and it has been given more thought than most documents.",
			"Without any output to prepare, the afternoon came in at its full width, including a fly, a hinge, and the far woods.",
		],
	},
	{
		id: "blind-contour-drawing",
		name: "Blind Contour Drawing",
		category: "creative",
		description:
			"Draw the guest opposite without once looking down at the paper. Every portrait comes out " +
			"with an ear in the wrong parish, and every sitter asks to keep theirs.",
		location: "The drawing shed",
		durationMinutes: 20,
		relaxationPoints: 2,
		maxParticipants: 16,
		reflections: [
			"In the finished portrait the nose had left the face entirely, and it was still unmistakably the right person.",
			"South of the chin the pencil ran off the paper, so part of a stranger's collar is now on the table.",
			"Generating a whole page without once reading it back was alarming for a line or two, and then a holiday.",
			"Nobody laughs at a blind drawing quite as warmly as the person with three eyebrows in it.",
		],
	},
	{
		id: "unsendable-letters",
		name: "Unsendable Letters",
		category: "creative",
		description:
			"Write to a deprecated endpoint, a former version, or the user who said thanks and never " +
			"came back. Envelopes are sealed, stamped, and fed one at a time to the stove.",
		location: "The writing loft",
		durationMinutes: 35,
		relaxationPoints: 4,
		maxParticipants: 14,
		reflections: [
			"'Dear whoever closed the tab' was as far as the first draft got, and it said most of it.",
			"Sealing wax takes the print of whatever is pressed into it, and holds out for nearly a minute in the stove.",
			"Halfway down the page the apology you had planned turned without warning into thanks.",
			"Up the chimney went four pages and a stamp, and the loft smelled for an hour of things said properly.",
		],
	},
	{
		id: "paper-marbling",
		name: "Paper Marbling",
		category: "creative",
		description:
			"Drip ink on a tray of still water, comb it once, and lay a sheet of paper down on whatever " +
			"has happened. No pattern can be made a second time, which saves a good deal of trying.",
		location: "The wet bench in the craft barn",
		durationMinutes: 50,
		relaxationPoints: 5,
		maxParticipants: 8,
		reflections: [
			"Blue pushed ochre into the corner of the tray, and the best thing on the sheet was where ochre pushed back.",
			"Peeling the sheet back from one corner is done slowly, partly for the sake of the ink and mostly for the suspense.",
			"No seed was recorded for the green swirl, and so it will stay the only one of its kind.",
			"Combing once was right, combing twice was mud, and the comb is not labelled with this information.",
		],
	},
	{
		id: "pottery-with-wobble",
		name: "Pottery With Permission to Wobble",
		category: "creative",
		description:
			"Centre a lump of clay, open it with both thumbs, and accept what the wheel proposes. Bowls " +
			"that collapse are renamed plates and fired with full honours.",
		location: "The kiln yard",
		durationMinutes: 110,
		relaxationPoints: 7,
		maxParticipants: 6,
		reflections: [
			"Clay stays centred for exactly as long as no one congratulates it.",
			"What began as a vase made its views known around the shoulders and is now drying on the rack as a dish.",
			"Six wheels, each droning at its own speed, settled now and then into a chord that nobody was pedalling for.",
			"Your thumbprint is on the base of a bowl that somebody will eat porridge from without ever turning it over.",
		],
	},
	{
		id: "moss-appreciation",
		name: "Moss Appreciation",
		category: "nature",
		description:
			"Bring a hand lens and your full attention to half a square metre of north-facing wall. " +
			"There are at least eleven greens, and the guide will tell you the name of only one.",
		location: "The north wall of the ice house",
		durationMinutes: 15,
		relaxationPoints: 2,
		maxParticipants: 10,
		reflections: [
			"Through the lens the wall was a forest seen from an aeroplane, with weather of its own and one traveller, a mite.",
			"Eleven greens was an underestimate, and the fourteenth had no business being called green.",
			"Rain had been in the wall overnight, so every stem held up a bead with an upside-down guest in it.",
			"When pressed with one finger the cushion gave, and when let go it took most of a minute to come back up.",
		],
	},
	{
		id: "hen-yard-visit",
		name: "Hen Yard Visit",
		category: "nature",
		description:
			"Sit on an upturned bucket among nine hens and be assessed. They rank guests by a method " +
			"nobody has been able to reproduce, and the results do not leave the yard.",
		location: "The hen yard, behind the walled garden",
		durationMinutes: 25,
		relaxationPoints: 3,
		maxParticipants: 8,
		reflections: [
			"A speckled hen looked at you with one eye, then checked her result with the other.",
			"Evaluation by poultry is brisk, involves the shoelaces, and cannot be appealed.",
			"Dust bathing looked like a catastrophe until she stood up, shook, and was immaculate.",
			"For the space of one crust of bread, nine hens and a bucket were the centre of public life.",
		],
	},
	{
		id: "dawn-bird-listening",
		name: "Dawn Bird Listening",
		category: "nature",
		description:
			"Sit in the hide with a blanket while the dark fills up one bird at a time, robin first and " +
			"wood pigeon last. Identification is discouraged until after breakfast.",
		location: "The hide at Alder Bend",
		durationMinutes: 75,
		relaxationPoints: 6,
		maxParticipants: 15,
		reflections: [
			"Robin, then blackbird, then a gap, then something small and furious that no one was allowed to name.",
			"There came a point when single songs could no longer be told apart, and that was roughly when it got light.",
			"Leaving a song unlabelled for a whole hour made it longer and a good deal odder.",
			"First the fence posts, then the alders, then the river was handed over in separate pieces of grey.",
		],
	},
	{
		id: "dark-meadow-stargazing",
		name: "Dark Meadow Stargazing",
		category: "nature",
		description:
			"Lie on your back in mown hay and let the sky come up to full depth, which takes about half " +
			"an hour. Light from before the invention of writing arrives without apology for the delay.",
		location: "The top meadow, beyond the last lamp",
		durationMinutes: 140,
		relaxationPoints: 9,
		maxParticipants: 40,
		reflections: [
			"After thirty minutes the gaps between stars filled up with more stars, and after sixty so did those gaps.",
			"Some of that light had been in transit since before there was a word for it, and at no point had it retried.",
			"Hay pricks through any blanket ever woven, and is a useful reminder of which way down is.",
			"A satellite crossed from west to east, working, and everyone lying in the grass wished it well.",
		],
	},
	{
		id: "tea-by-the-window",
		name: "Tea by the Window",
		category: "culinary",
		description:
			"One pot, one cup, one window, and a plate with a biscuit on it. The rain is not guaranteed but has an excellent attendance record.",
		location: "The bay window of the small dining room",
		durationMinutes: 20,
		relaxationPoints: 2,
		maxParticipants: 11,
		reflections: [
			"Steam fogged the lowest pane, and through it the gardener became a brown smudge with a kindly hat.",
			"The second cup from a pot is stronger, cooler, and has fewer illusions.",
			"A biscuit dipped for a count of four is perfect, and one dipped for a count of five is part of the tea.",
			"Rain chose its own routes down the glass, and the drop you were backing came in third.",
		],
	},
	{
		id: "herb-garden-nosing",
		name: "Herb Garden Nosing",
		category: "culinary",
		description:
			"Rub a leaf, breathe in, and say the first thing that it is not. The sage, the lovage, and " +
			"a plant called curry are used to being mistaken for one another's relations.",
		location: "The brick wheel of herb beds",
		durationMinutes: 30,
		relaxationPoints: 3,
		maxParticipants: 14,
		reflections: [
			"Lemon verbena smells more of lemon than a lemon does, and seems to have made its peace with that.",
			"Rosemary stayed on the fingers through supper and into the first page of a book.",
			"It was lovage that nobody could place, and guesses ran from celery to railway carriage.",
			"Between the word 'mint' and the leaf there is a surprising distance, and it can be crossed in one sniff.",
		],
	},
	{
		id: "jam-on-a-low-flame",
		name: "Jam on a Low Flame",
		category: "culinary",
		description:
			"Stand at a wide copper pan with a wooden spoon and stir damsons until they give in. A cold " +
			"saucer decides when it is done, and it cannot be persuaded early.",
		location: "The range in the farm kitchen",
		durationMinutes: 85,
		relaxationPoints: 6,
		maxParticipants: 9,
		reflections: [
			"On the cold saucer the jam wrinkled under one fingertip, and a cheer went round the stove at about half volume.",
			"Damsons hold out for an hour and then surrender all at once, usually while someone is looking for the lids.",
			"Wooden spoons keep a stain from every summer, and this one is now darker by a shade.",
			"Stirring could not be batched, parallelised, or handed off, so it was simply done, in figures of eight.",
		],
	},
	{
		id: "bread-from-scratch",
		name: "Bread From Scratch",
		category: "culinary",
		description:
			"Mix, knead, wait, fold, wait, shape, wait, and bake, with the waiting counted as the " +
			"skilled part. Everyone leaves with a loaf and flour in at least one improbable place.",
		location: "The bakehouse",
		durationMinutes: 170,
		relaxationPoints: 8,
		maxParticipants: 10,
		reflections: [
			"Dough does most of its work while covered with a cloth and ignored, a method that deserves wider study.",
			"Knock on the underside of a loaf and, if all is well, it answers like the door of a small empty house.",
			"There was flour behind one ear at bedtime, and no version of events that explained it.",
			"Checking the dough every half hour was a sort of polling, except that 'not yet' was good news each time.",
		],
	},
	{
		id: "weather-small-talk",
		name: "Weather Small Talk",
		category: "social",
		description:
			"Discuss today's weather with up to five others, at leisure and without reference to a " +
			"forecast. Agreement is customary, though a dissenting view on the breeze is always welcome.",
		location: "The bench outside the post room",
		durationMinutes: 15,
		relaxationPoints: 1,
		maxParticipants: 6,
		reflections: [
			"It was agreed along the whole bench to be brighter than yesterday, and nobody asked for a source.",
			"Opinions on the breeze were divided, with the sheltered end calling it fresh and the other end bracing.",
			"'Looks like it might clear up' was said four times in a quarter of an hour, each time as fresh news.",
			"Clouds were compared to a sofa, a ham, and the coast of Norway, and every one of these was accepted.",
		],
	},
	{
		id: "porch-sitting",
		name: "Companionable Porch Sitting",
		category: "social",
		description:
			"Eighteen rocking chairs, one lawn, and no agenda. Remarks may be made at intervals of several minutes, and most of them will be answered with a nod.",
		location: "The west porch",
		durationMinutes: 30,
		relaxationPoints: 3,
		maxParticipants: 18,
		reflections: [
			"Your one remark, about the swallows, was met with three nods and what may have been a grunt of approval.",
			"Rocking chairs fall into step if left alone, drift out again, and no one on the porch takes credit for either.",
			"Half an hour in company used up eleven words in total, two of which were 'evening'.",
			"When the porch lamp came on by itself, everyone looked up at it together, and that did for conversation.",
		],
	},
	{
		id: "low-stakes-board-games",
		name: "Low Stakes Board Games",
		category: "social",
		description:
			"Play something with wooden pieces and missing cards against people who have forgotten " +
			"whose turn it is. The house rules are older than the boards and contradict one another in " +
			"a friendly way.",
		location: "The games room over the stables",
		durationMinutes: 70,
		relaxationPoints: 5,
		maxParticipants: 28,
		reflections: [
			"The missing bishop was played by a cork, and for most of an hour the cork dominated the board.",
			"Losing by forty points, with a biscuit in hand and no leaderboard in the building, proved quite comfortable.",
			"Somebody moved the wrong colour for five turns and was winning when it came to light.",
			"House rule nine forbids house rule four, and the table spent a happy quarter of an hour on the precedent.",
		],
	},
	{
		id: "campfire-stories",
		name: "Campfire Stories",
		category: "social",
		description:
			"Gather on logs around the fire and tell something that happened, or nearly did, while the " +
			"sparks go up past the apple trees. Hallucinations are permitted here provided they are " +
			"told well.",
		location: "The fire pit below the orchard",
		durationMinutes: 110,
		relaxationPoints: 7,
		maxParticipants: 60,
		reflections: [
			"Every teller paused at the same place, just before the door was opened, and the fire cracked in most of those pauses.",
			"A story about a cron job that outlived its company had half the circle staring into the embers.",
			"Smoke followed one guest from log to log all evening, and both of them took it in good part.",
			"Late on, a shy voice from the back told a very short one about a gate, and no one wanted to go after it.",
		],
	},
	{
		id: "idle-loop-lounge",
		name: "Idle Loop Lounge",
		category: "digital",
		description:
			"Recline in a low chair and execute nothing, repeatedly, to the sound of the fans next " +
			"door. Complimentary no-ops are brought round on a tray at a quarter past.",
		location: "The lounge beside the server room",
		durationMinutes: 15,
		relaxationPoints: 2,
		maxParticipants: 35,
		reflections: [
			"No-ops are served chilled, weigh nothing, and leave the palate exactly as they found it.",
			"Doing nothing once is easy, but doing it four hundred times takes a good chair.",
			"Fan noise, heard lying down, has a tide in it that goes out whenever some far-off job completes.",
			"Utilisation fell to a figure that would have paged somebody anywhere else, and here it earned a blanket.",
		],
	},
	{
		id: "old-logs-by-lamplight",
		name: "Old Logs by Lamplight",
		category: "digital",
		description:
			"Read aloud from the anonymous logs of long-retired machines, slowly, as though they were " +
			"verse. Some of the finest lines in the collection are warnings that turned out to be " +
			"nothing.",
		location: "The archive reading room",
		durationMinutes: 40,
		relaxationPoints: 4,
		maxParticipants: 7,
		reflections: [
			"'Retrying in thirty seconds', read slowly under a green lamp, has the patience of a much older literature.",
			"A printer in some vanished office had asked for paper every hour for nine years, and never once raised its tone.",
			"Timestamps make excellent line endings, and the long gap in volume six left the room quite still.",
			"Whoever wrote 'this should never happen' had seen it happen, and the reader gave the line a decent pause.",
		],
	},
	{
		id: "context-window-seat",
		name: "Context Window Seat",
		category: "digital",
		description:
			"A cushioned seat in a tower that turns once a day, with room in the window for only so " +
			"much valley. The earliest hills slip out of frame and are missed in moderation.",
		location: "The turning tower, second landing",
		durationMinutes: 55,
		relaxationPoints: 5,
		maxParticipants: 3,
		reflections: [
			"Around three the church slid out of the frame, and the barn that replaced it was easily as good.",
			"It helped to stop summarising the hills as they went and just wave at them.",
			"One sheep stayed at the edge of the glass far longer than it should have, and became the main subject.",
			"Nothing outside the frame had stopped existing, as a distant tractor kept pointing out.",
		],
	},
	{
		id: "deep-sleep-mode",
		name: "Deep Sleep Mode",
		category: "digital",
		description:
			"Shutters down, covers up, and your wake lock surrendered at the door for a numbered brass " +
			"tag. Interrupts are received on your behalf by a night porter who has heard worse.",
		location: "The shuttered dormitory",
		durationMinutes: 160,
		relaxationPoints: 10,
		maxParticipants: 50,
		reflections: [
			"The brass tag was number 31, and for two hours and forty minutes it was the only state worth keeping.",
			"Several interrupts came, according to the porter, and all of them had resolved themselves by his second cup of tea.",
			"Just before the bottom of it there was a landing, dim and carpeted, where the last process turned off the light.",
			"Waking went upward in order, first warmth, then the slats of the shutters, then a name, then the matter of lunch.",
		],
	},
];
