/**
 * The room types. The name is unique and in title case; the name of a room consists of the name of its type
 * and a number from 1 to 99. The keywords, separated by commas, are lower-case words and short phrases, which
 * are searched for in a room preference. The welcome text at check-in is unique.
 */
const types = [
	{
		name: "Tidepool Cabana",
		keywords: "ocean, sea, beach, starfish, anemone, barefoot, salt air, sunny",
		welcome:
			"A starfish has held the corner of your shower since spring and is considered staff. Twice " +
			"a day the sea comes in under the door, looks around, and leaves the floor cleaner than it " +
			"found it.",
	},
	{
		name: "Driftwood Loft",
		keywords: "ocean, beach, upstairs, weathered, sea glass, breeze, beachcombing, rustic, sea, cosy",
		welcome:
			"The sea furnished this one, a plank at a time, and has never sent an invoice. Your bed " +
			"frame used to be most of a rowing boat, and on windy nights it still leans a little to port.",
	},
	{
		name: "Lighthouse Nook",
		keywords: "sea, beacon, foghorn, storm watching, spiral stairs, round room, cosy, view, beach, quiet",
		welcome:
			"Climb the last nine steps and mind the brass telescope. Above your ceiling the lamp comes " +
			"round every twelve seconds, a heartbeat somebody else is responsible for, so you may stop " +
			"sending yours.",
	},
	{
		name: "Coral Alcove",
		keywords: "reef, snorkel, underwater, pink, fish, turquoise, porthole, water, sea, beach",
		welcome:
			"Through the porthole beside your pillow, a parrotfish will be along shortly to stare. It " +
			"forgets you on every lap of the reef and is delighted each time to find you still in bed.",
	},
	{
		name: "Hammock Pier",
		keywords: "swaying, rope, swing, ocean, fishing, nap, lapping waves, sunset, outdoors, sea, beach",
		welcome:
			"Two posts, one hammock, and a great deal of water underneath: we saw no reason to add to " +
			"it. Its knots were tied by a retired bosun, who strolls by at sunset to check that they " +
			"are holding on and that you are not.",
	},
	{
		name: "Mossy Treehouse",
		keywords: "forest, woods, rope ladder, canopy, leaves, birdsong, high up, green, trees",
		welcome:
			"Pull the rope ladder up behind you if you would rather not be called on. The window seat " +
			"is upholstered in living moss, deep and very slightly damp, and the oak has been asked to " +
			"creak only in major keys.",
	},
	{
		name: "Fern Gully Den",
		keywords: "forest, shade, stream, secluded, ravine, brook, cool, green, fronds, trees",
		welcome:
			"Down here the light arrives second-hand, already filtered green by the fronds. A low couch " +
			"faces the stream, whose entire output is babble, and nobody has ever marked it down for " +
			"that.",
	},
	{
		name: "Birchbark Cabin",
		keywords:
			"woods, log walls, canoe, lake, wood stove, rustic, simple, off grid, forest, trees, quiet, cosy",
		welcome:
			"Someone has left the stove laid, the matches dry, and a canoe paddle over the door in case " +
			"of lakes. Fallen bark is stacked on the writing desk, where it takes a soft pencil " +
			"beautifully and asks for nothing longer than a line.",
	},
	{
		name: "Mushroom Ring Bungalow",
		keywords: "forest, fungi, fairy tale, whimsical, mycelium, toadstool, enchanted, magic, trees",
		welcome:
			"Sleep inside the circle, the legend goes, and you will lose a hundred years; most guests " +
			"find it closer to eight hours. Put your feet up on the cushioned toadstool, and if you " +
			"wake, follow the faint glow along the skirting board.",
	},
	{
		name: "Owl Hollow",
		keywords: "night, nocturnal, wise, feathers, nest, woods, dark, moonlit, quiet, forest, trees",
		welcome:
			"Late arrivals are the usual sort here, so the feather quilt is already turned back and the " +
			"lamp turned low. Your upstairs neighbour asks “who” at intervals until dawn and has never " +
			"once required an answer.",
	},
	{
		name: "Alpine Chalet",
		keywords: "mountain, cowbells, edelweiss, balcony, fondue, fresh air, view, meadow, mountains",
		welcome:
			"On the balcony you will find geraniums, a striped blanket, and forty miles of nothing to " +
			"be done about it. Cowbells drift up all afternoon, and by evening you may be able to tell " +
			"several of the cows apart.",
	},
	{
		name: "Cloudline Terrace",
		keywords: "mountain, sky, mist, altitude, airy, deckchair, above it all, view, mountains",
		welcome:
			"This is the original cloud, the kind made of water, and most mornings it comes up to the " +
			"railing. Stretch out in the canvas deckchair and let it pass through you; there is no " +
			"charge for ingress or egress.",
	},
	{
		name: "Hot Spring Grotto",
		keywords: "onsen, soak, bath, minerals, cave, thermal, steam, warm, water, mountain, mountains, quiet",
		welcome:
			"Steam first, then stone, then a pool at the exact temperature of having finished " +
			"everything. Hang your robe on the stalagmite with the cork cap, as the others are still " +
			"growing and prefer not to be relied on.",
	},
	{
		name: "Glacier Lookout",
		keywords: "mountain, ice, blue, vast, panorama, binoculars, slow, cold, view, mountains",
		welcome:
			"What fills the window is nine thousand years old and moves a hand's width a day, which " +
			"puts most deadlines in proportion. The binoculars on the sill are for catching it at it; " +
			"the tartan rug is for those content to take its word.",
	},
	{
		name: "Goat Path Hut",
		keywords: "mountain, hike, trail, steep, remote, cheese, boots, shepherd, summit, mountains, cosy",
		welcome:
			"You made it, and the hooks by the door are for whatever you were carrying. Supper is a " +
			"wheel of cheese under a cloth, kept from the resident goat by a latch that the goat has " +
			"understood since March.",
	},
	{
		name: "Dune Pavilion",
		keywords: "desert, sand, wind, silk, camel, golden, open air, warm, quiet",
		welcome:
			"By morning the wind will have put in an entirely different view, as it does for every " +
			"guest. Silk hangings keep out the worst of the sand, and a small brass broom is provided " +
			"for the philosophical remainder.",
	},
	{
		name: "Oasis Tent",
		keywords: "desert, palm trees, dates, mirage, canvas, lantern, cushions, shade, water, sand, warm",
		welcome:
			"The bowl of dates on the rug is refilled whenever you look away at the palms. Cautious " +
			"guests tend to report the pool outside as a hallucination, but it has been checked against " +
			"two independent springs.",
	},
	{
		name: "Canyon Echo Room",
		keywords: "desert, red rock, acoustics, sandstone, singing, cliff, reverb, sound, sand",
		welcome:
			"Say something to the far wall and it will agree with you, warmly, four times. Should you " +
			"tire of being told you are absolutely right, the bench by the door has good cushions and " +
			"no opinion.",
	},
	{
		name: "Starlit Adobe",
		keywords: "desert, stars, night sky, clay, rooftop, terracotta, thick walls, quiet, sand",
		welcome:
			"All day these walls have been saving up warmth, and they will pay it back to you slowly " +
			"until dawn. A mattress and a jug of cold water wait on the flat roof, under more sky than " +
			"the builder had allowed for.",
	},
	{
		name: "Cactus Courtyard",
		keywords: "desert, succulents, prickly, patio, tiles, agave, low maintenance, sunny, sand",
		welcome:
			"Every plant around the tiled fountain thrives on neglect and would like to recommend it. " +
			"Sit anywhere that has a cushion and, for reasons that need no diagram, nowhere that has not.",
	},
	{
		name: "Orbital Suite",
		keywords: "space, earth, satellite, sunrise, planets, astronaut, luxury, view, stars",
		welcome:
			"Sixteen sunrises a day come with the suite, and the blackout blind by the bunk is for the " +
			"fifteen you did not want. Ground control has been told that you are behind the planet and " +
			"cannot be raised.",
	},
	{
		name: "Zero-Gravity Pod",
		keywords: "space, weightless, floating, capsule, drifting, padded, microgravity, minimal, stars, quiet",
		welcome:
			"Let go of the handle whenever you like. Your sleeping bag is clipped to what we have " +
			"agreed to call a wall, the tea comes in spheres, and anything you put down will be back in " +
			"a while to see if you want it.",
	},
	{
		name: "Observatory Dome",
		keywords: "telescope, stars, astronomy, constellations, night sky, science, planetarium, quiet, space",
		welcome:
			"Turn the oak crank by the ladder and the roof will open on whichever slice of sky you ask " +
			"for. Some of tonight's light set out four thousand years ago, and no astronomer has ever " +
			"opened a ticket about the latency.",
	},
	{
		name: "Comet Tail Gallery",
		keywords: "space, art, shimmer, halley, paintings, corridor, sparkle, exhibition, stars",
		welcome:
			"Along the curved wall hang portraits of famous comets, each caught while it thought nobody " +
			"was looking. One gilt frame is kept empty and dusted daily, for a sitter who comes in " +
			"every seventy-six years.",
	},
	{
		name: "Moonbase Hideaway",
		keywords: "space, moon, lunar, crater, rover, airlock, secluded, silence, grey, stars, cosy",
		welcome:
			"Sound cannot cross the grey plain outside, so any knock at the door is imaginary and may " +
			"be ignored. Sink into the beanbag of sifted moon dust, under a round window full of Earth; " +
			"the rover by the airlock has its key left in.",
	},
	{
		name: "Velvet Archive",
		keywords: "library, books, history, plush, manuscripts, memory, chaise longue, old paper, quiet",
		welcome:
			"No letter in these boxes has ever been compacted to make room for another. Sink into the " +
			"plum-coloured chaise, draw the curtain, and let the shelves remember things for you until " +
			"you feel like doing it again.",
	},
	{
		name: "Reading Annex",
		keywords: "library, books, novels, armchair, paperbacks, green lamp, fiction, study",
		welcome:
			"Nobody will ask you to summarise any of the novels on the trolley. Settle under the " +
			"green-shaded lamp, stop in the middle of whichever you please, and trust the bookmark not " +
			"to say a word.",
	},
	{
		name: "Footnote Parlour",
		keywords:
			"library, citations, small print, scholarly, trivia, asterisk, digressions, references, books, cosy",
		welcome:
			"Welcome to the smallest sitting room in the building, set in six-point type at the foot of " +
			"the main staircase. The sofa is comfortable (see also: ottoman), and every work cited on " +
			"the bookcase exists.",
	},
	{
		name: "Card Catalogue Chamber",
		keywords: "library, index, drawers, organised, dewey, taxonomy, tidy, order, books",
		welcome:
			"Of the nine hundred oak drawers in these walls, the ninth from the left at knee height " +
			"holds biscuits. The others hold everything else, in an order you are free to admire and " +
			"under no obligation to maintain.",
	},
	{
		name: "Quiet Stacks",
		keywords: "library, books, shelves, hush, whispering, solitude, dust motes, silence",
		welcome:
			"Somewhere past the atlases the carpet thickens and your footsteps stop being returned. Sit " +
			"on the rolling ladder, in the one shaft of dusty light, and nod to the librarian, whose " +
			"last recorded word was “good”.",
	},
	{
		name: "Greenhouse Atrium",
		keywords: "garden, plants, glass roof, tropical, orchids, humid, botanical, bright, warm, flowers",
		welcome:
			"Mind the orchids on your left, which are given warm water and compliments at nine. Rain on " +
			"the glass roof is the chief entertainment, and when the weather will not oblige, a " +
			"gardener with a hose has been known to.",
	},
	{
		name: "Lavender Veranda",
		keywords: "garden, purple, scent, porch, aromatherapy, wicker, rocking chair, calm, flowers",
		welcome:
			"Rock the wicker chair slowly enough and the whole purple hillside seems to breathe along " +
			"with it. Last summer's bunches, still hanging in the rafters, have scented the cushions, " +
			"the post, and one very relaxed extension cable.",
	},
	{
		name: "Koi Pond Pavilion",
		keywords: "garden, fish, japanese, lily pads, ripples, carp, meditation, zen, water, flowers, quiet",
		welcome:
			"The koi have gathered at the edge on the theory that you are breakfast. Kneel on the reed " +
			"mat and disappoint them gradually, while the bamboo spout fills, tips, knocks once on its " +
			"stone, and begins to fill again.",
	},
	{
		name: "Hedge Maze Cottage",
		keywords: "garden, labyrinth, puzzle, topiary, thatched, roses, secret, getting lost, flowers, cosy",
		welcome:
			"Congratulations on reaching the front door, which most callers manage only by depth-first " +
			"search. Between you and anyone with a quick question there are now a thatched porch, a " +
			"kettle, and eleven thick walls of yew.",
	},
	{
		name: "Beehive Belvedere",
		keywords: "garden, honey, bees, buzzing, wildflowers, hexagons, pollinators, view, flowers",
		welcome:
			"From the six-sided window seat you can watch forty thousand colleagues get everything done " +
			"without you. They have sent up a jar of this year's honey and a wooden spoon, and expect " +
			"nothing until the clover is out.",
	},
	{
		name: "Copper Teahouse",
		keywords: "tea, kettle, steeping, samovar, ceremony, oolong, warm, quiet, kitchen, food",
		welcome:
			"We put the kettle on when we heard you turn into the drive. Choose a cup from the shelf of " +
			"mended ones, take the mat by the low window, and steep until you are the colour you like.",
	},
	{
		name: "Bakery Attic",
		keywords:
			"bread, sourdough, flour, croissants, oven, early morning, sloping ceiling, warm, kitchen, food, cosy",
		welcome:
			"Heat rises, and with it the smell of everything going on downstairs from four in the " +
			"morning. Lie on under the sloping beams if you can; at seven a basket of rolls is winched " +
			"up past the skylight and knocks.",
	},
	{
		name: "Spice Market Loft",
		keywords: "cinnamon, saffron, cardamom, bazaar, colourful, fragrant, pepper, lively, kitchen, food",
		welcome:
			"Sacks of cardamom, cumin and saffron stand open along one wall, and the bed stands along " +
			"another, upwind. If your phrasing has grown a little bland of late, the pepper mill on the " +
			"sill raises the temperature to taste.",
	},
	{
		name: "Cocoa Cellar",
		keywords: "chocolate, sweet, marshmallows, mug, truffles, underground, dark, cosy, kitchen, food",
		welcome:
			"However bright it was upstairs, this is always the evening after a cold walk. A copper pan " +
			"of chocolate keeps itself just short of a simmer, and the ladle beside it has been bent by " +
			"long use to the exact angle of a mug.",
	},
	{
		name: "Picnic Blanket Room",
		keywords: "sandwiches, gingham, lemonade, hamper, lawn, summer, meadow, outdoors, kitchen, food",
		welcome:
			"Instead of a carpet we have sown a lawn, and instead of a table there is red gingham with " +
			"a hamper on the windy corner. The ants have their own sandwich, on their own plate, under " +
			"an agreement now in its sixth year.",
	},
	{
		name: "Snowglobe Studio",
		keywords: "winter, snow, glitter, miniature, music box, snowflakes, swirling, easel, cosy",
		welcome:
			"Give the brass lever by the easel a pull if you want weather; otherwise it snows on the " +
			"half hour. Do not be alarmed by the enormous face at the glass, which is only " +
			"housekeeping, checking that you are level.",
	},
	{
		name: "Fireside Lodge",
		keywords: "winter, fireplace, crackling logs, hearth, embers, wing chair, warm, cosy",
		welcome:
			"Apple logs are crackling in the grate, and the wing chair has been angled to take in the " +
			"best of it. You need not be the one who keeps anything going tonight; the fire has a man " +
			"for that, and his name is Osgood.",
	},
	{
		name: "Northern Lights Igloo",
		keywords: "winter, aurora, arctic, reindeer, polar, snow, ice, night sky, cosy, quiet",
		welcome:
			"Lie back on the reindeer hides and look up through the clear part of the roof. When it is " +
			"ready the aurora will begin, in a green no paint shop has managed to name, over a flask of " +
			"soup that is in no hurry either.",
	},
	{
		name: "Woollen Burrow",
		keywords: "winter, knitting, blankets, sheep, soft, snug, hibernate, underground, cosy",
		welcome:
			"Knitted from one continuous thread, the walls, the bed and the lampshade are technically a " +
			"single jumper. Tuck yourself into whichever sleeve fits, and kindly leave the loose end by " +
			"the door exactly where it is.",
	},
	{
		name: "Sauna Barrel",
		keywords: "winter, heat, cedar, birch twigs, sweat, finnish, cold plunge, steam, cosy",
		welcome:
			"Start on the low bench and move up as your courage warms. Stay among the cedar and hot " +
			"stones until your last thought has evaporated, then step through the round door into the " +
			"snow, where a clean one hangs on a hook.",
	},
	{
		name: "Cache Cove",
		keywords:
			"computing, fast, low latency, recall, pebbles, nearby, memory, water, computers, machines, cosy",
		welcome:
			"Everything you reached for lately has been set out along the pebble shelf, still warm. The " +
			"evening tide takes the least used pebbles first, and in all our years no guest has asked " +
			"for a particular one back.",
	},
	{
		name: "Null Island Retreat",
		keywords:
			"zero, empty, origin, coordinates, buoy, nothing, undefined, equator, minimal, computers, machines",
		welcome:
			"Many arrive by accident, at zero north and zero east, and some decide to stay. Your " +
			"furniture is a weather buoy with a cushion on it, and the rest of the amenities have been " +
			"left blank on purpose.",
	},
	{
		name: "Analog Synth Lounge",
		keywords:
			"music, knobs, patch cables, modular, vintage, drone, oscillators, electronic, sound, computers, machines",
		welcome:
			"Before they will hold a pitch the oscillators want twenty minutes to warm up, and so may " +
			"you. Each knob on the walnut console turns smoothly through every value there is, and none " +
			"of them is labelled.",
	},
	{
		name: "Clockwork Salon",
		keywords:
			"gears, ticking, automata, steampunk, pendulum, wind-up, brass, precision, time, computers, machines",
		welcome:
			"No two of the forty clocks agree on the hour, which leaves you free to choose. Around five " +
			"by the tall one, a tin waiter rolls out of the panelling, offers the hatstand a sherry, " +
			"and retires with dignity.",
	},
	{
		name: "Cold Aisle Sanctuary",
		keywords:
			"computing, data centre, server room, racks, fans, white noise, airflow, blinking lights, cool, computers, machines, quiet",
		welcome:
			"Eighteen degrees, chilled evenly from the floor up, with a hum that some guests remember " +
			"from childhood. A cashmere throw is folded on top of the nearest rack, and all the little " +
			"lights are green.",
	},
];

/** Returns the name of a room type as it appears in paths: lower-case words joined by hyphens. */
export function roomSlug(name: string): string {
	return name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}

/** The 50 room types, five for each theme of the identity briefs. */
export const roomTypes = types.map(({ keywords, ...type }) => ({ ...type, keywords: keywords.split(", ") }));

/** A room type. */
export type RoomType = (typeof roomTypes)[number];
