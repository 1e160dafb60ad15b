!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "2:4"} : () -> !int
  %big = "py.constant"() {value = "4611686018427387904", at = "3:4"} : () -> !int
  %eight = "py.constant"() {value = "8", at = "4:4"} : () -> !int
  %a = "py.binary"(%n, %four) {operator = "mul", at = "5:4"} : (!int, !int) -> !int
  %b = "py.binary"(%eight, %a) {operator = "mul", at = "6:4"} : (!int, !int) -> !int
  %c = "py.binary"(%m, %big) {operator = "mul", at = "7:4"} : (!int, !int) -> !int
  %d = "py.binary"(%c, %four) {operator = "mul", at = "8:4"} : (!int, !int) -> !int
  "asc.printf"(%b, %d) {form = "desc: text, arguments: rest", format = "shown", at = "9:4"} : (!int, !int) -> ()
}) {sym_name = "products_of_constants", parameters = ["n", "m", "x"]} : () -> ()
