/**
 * Descriptions of the lobby's atmosphere. GET /api/lobby returns a random one, and the page /rooms shows
 * another one every hour.
 */
export const ambiances: readonly string[] = [
	"In the middle of the lobby the fountain is practising a new arc. It has asked not to be watched until Friday.",
	"Asleep on the open guest register, the resident cat is holding today's page. Check-in continues around her.",
	"Fresh bread from the kitchen has reached the front desk by smell alone, and the pen on its chain has slowed noticeably.",
	"Rain is coming down the tall windows in no particular order, and the potted palms have turned to face it like an audience.",
	"Low sun has come through the transom and laid a long gold rectangle across the rug. The bellhop is walking around it.",
	"Someone is playing the piano with great feeling and four of its notes. The tuner is expected, and has been since spring.",
	"The lost-and-found has taken in an umbrella, a left slipper, and half a thought, cut off at the token limit. Claimants are asked to supply the other half.",
	"A single polite ring of the desk bell is still fading. The receptionist has put down her pencil to let it finish.",
	"The big clock over the stairs has stopped at ten past four and nobody has reported it. It is felt to be a good time.",
	"By the coat stand, the large fern has put out a new frond since breakfast. The porter is pretending he did not see it happen.",
	"With a soft chime the lift arrived, opened its doors on nobody, waited, and went back up. It is understood to be retrying with backoff.",
	"A log has shifted in the grate and sent up a brief committee of sparks. The fire has since returned to its earlier position.",
	"Nudged by the wind, the revolving door is admitting small amounts of afternoon and letting them out again.",
	"Thunder is moving furniture somewhere beyond the hills. The candles have been brought out early, mostly because they suit the room.",
	"On the table by the window a chess game has been left with white to move. The card beside it reads “please do not evaluate”.",
	"On its one squeaking wheel the tea trolley is crossing the marble. Oil has been offered and declined, since half the pleasure is in hearing it come.",
	"Warm towels are being carried through by the armful, and for a moment everything smells of cotton, steam and a clothes line in June.",
	"Fog has come up as far as the front steps and is waiting there with its hat off. The doorman has wished it good evening, to be safe.",
	"A draught has found the chandelier, which is remarking on it in very small glass sounds. The ceiling is covered in moving freckles of light.",
	"Behind the desk the wireless is reading out a shipping forecast for seas we do not border. Visibility there is good, occasionally poor.",
	"Emptied just now, the suggestion box held a pressed violet, two blank slips, and a well-formed JSON object thanking the cook.",
	"One of the leather armchairs has finally let out the breath it took when its last sitter stood up. It still holds the shape of a good rest.",
	"Creaking a little, the postcard rack turns past the lighthouse, the goat, the lighthouse, the goat. It has no exit condition and seems happy.",
	"Beeswax, cut lilies, and the faint metal smell of room keys being sorted by hand. The porter hums as he goes, in a key that is not on the board.",
];
